package dev.steadfast.retry.ordinary.rows;

import dev.steadfast.retry.ordinary.Row;
import java.util.List;
import java.util.stream.Stream;

/** All rows of this module. */
public final class OrdinaryTable {
  private OrdinaryTable() {}

  /** The rows, in groups by subject. */
  public static List<Row> rows() {
    return Stream.of(
            SlowRows.inRealTime(),
            StatusRows.rows(),
            OkBodyRows.rows(),
            JdkBodyRows.rows(),
            ApacheRows.rows(),
            ApacheChainRows.rows(),
            GzipRows.rows(),
            RedirectRows.rows(),
            AuthRows.rows(),
            DecoratorRows.rows(),
            CookieAndCacheRows.rows(),
            RetrofitRows.rows(),
            WebClientRows.rows(),
            ProtocolRows.rows(),
            InterceptorRows.rows(),
            StreamRows.rows(),
            CancelRows.rows(),
            Http2CancelRows.rows(),
            FailureRows.rows(),
            ManyRows.rows(),
            DifferenceRows.rows(),
            SlowRows.rows())
        .flatMap(List::stream)
        .toList();
  }
}
