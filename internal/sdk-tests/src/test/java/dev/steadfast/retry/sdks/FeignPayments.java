package dev.steadfast.retry.sdks;

import feign.RequestLine;

interface FeignPayments {
  @RequestLine("POST /payments")
  String pay(String payment);
}
