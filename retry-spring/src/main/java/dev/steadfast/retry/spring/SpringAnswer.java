package dev.steadfast.retry.spring;

import dev.steadfast.retry.RetryReport;
import org.springframework.http.client.ClientHttpResponse;

/** A response for Spring that carries its report. */
interface SpringAnswer extends ClientHttpResponse, RetryReport.Carrier {}
