package dev.steadfast.retry.examples.springboot;

import org.springframework.test.context.TestPropertySource;

/** The same run on OkHttp. */
@TestPropertySource(properties = "steadfast.clients.payments.library=okhttp")
class RunOnOkHttpTest extends RunTest {}
