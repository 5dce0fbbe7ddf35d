package dev.steadfast.retry.examples;

import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Everything on the server's side for one run: ports, certificate, books. */
final class PaymentService implements AutoCloseable {
  private final Ledger ledger = new Ledger();
  private final Arrivals arrivals = new Arrivals();
  private final int payments;
  private final Cashier cashier;
  private final PaymentServer server;
  private final Map<Integer, SecureServer> secureServers = new HashMap<>();
  private final Map<Integer, LatePort> latePorts = new HashMap<>();

  PaymentService(List<Payment> plan, Certificate certificate) throws IOException {
    this.payments = plan.size();
    this.cashier = new Cashier(plan, ledger, arrivals);
    this.server = new PaymentServer(cashier::serve);
    for (Payment payment : plan) {
      if (payment.fault() == Fault.CONNECTION_REFUSED) {
        latePorts.put(payment.number(), new LatePort(server));
      }
      if (payment.fault() == Fault.STREAM_REFUSED) {
        secureServers.put(payment.number(), new SecureServer(cashier, certificate));
      }
    }
  }

  Ledger ledger() {
    return ledger;
  }

  /** Closes the books. */
  Ledger.Tally tally() {
    cashier.finishWork();
    return ledger.tally(payments);
  }

  Arrivals arrivals() {
    return arrivals;
  }

  /** Where a payment is to be posted. */
  URI address(Payment payment) {
    URI base =
        switch (payment.fault()) {
          case STREAM_REFUSED -> secureServers.get(payment.number()).address();
          case CONNECTION_REFUSED -> latePorts.get(payment.number()).address();
          default -> server.address();
        };
    return base.resolve("/payments");
  }

  /** An attempt failed that went to this port: a server that was down is up again by the next. */
  void attemptFailed(int port) {
    latePorts.values().stream().filter(late -> late.port() == port).forEach(LatePort::open);
  }

  @Override
  public void close() {
    latePorts.values().forEach(LatePort::close);
    server.close();
    secureServers.values().forEach(SecureServer::close);
  }
}
