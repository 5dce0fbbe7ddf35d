#!/usr/bin/env bash
# Runs all benchmarks and renders docs/benchmarks.md. From the root of the project:
#   mvn -q -Pjmh package && jmh/run.sh
# JAVA is the JDK to measure, 21 or newer for the rows of virtual threads; JAVA_OLD, if set, is
# measured for allocation only. CORE is the core for single-threaded parts. ROUNDS is how often the
# rows that are compared with a plain client run; each round takes about 9 minutes, the rest about 50.
# Nothing else may run on the machine.
set -euo pipefail
cd "$(dirname "$0")/.."

java=${JAVA:-java}
old=${JAVA_OLD:-}
core=${CORE:-1}
jar=jmh/target/benchmarks.jar
out=jmh/target/results
rm -rf "$out"
mkdir -p "$out"

several=(-f 3) # with more threads one fork differs from another by more than its own error
pin=()
if command -v taskset >/dev/null && taskset -c "$core" true 2>/dev/null; then
  pin=(taskset -c "$core")
fi

note() { echo "$*" >>"$out/commands.txt"; }
note "# $(date -u +%Y-%m-%d), commit of $(git log -1 --format=%cs), load $(cut -d' ' -f1-3 /proc/loadavg)"
note "# $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) cores"
for jdk in "$java" $old; do
  note "# $("$jdk" -version 2>&1 | sed -n 2p)"
done

# name, then the command
run() {
  local name=$1
  shift
  local command
  command=$(printf '%q ' "$@")
  command=${command//"$(printf '%q' "$java")"/java} # the page is for other machines
  [ -z "$old" ] || command=${command//"$(printf '%q' "$old")"/java}
  note "${command}-rf json"
  "$@" -rf json -rff "$out/$name.json" -o "$out/$name.txt"
}

# The rows that are compared with a plain client run in a fork each round, in turn, so that a slow
# minute of the machine meets all of them. The others run in one.
compared='(get|async)(Plain|Steadfast|Methanol|OwnRetries|Resilience4j)$'
for round in $(seq "${ROUNDS:-10}"); do
  for client in Apache5 OkHttp JdkClient; do
    run "$client-$round" "${pin[@]}" "$java" -jar $jar "${client}Benchmark.$compared" -prof gc
  done
done
run http-others "${pin[@]}" "$java" -jar $jar '(OkHttp|JdkClient|Apache5)Benchmark' -e "$compared" -prof gc
micro='(Backoff|Engine|Budget|Timer|Telemetry)Benchmark'
run one "${pin[@]}" "$java" -jar $jar "$micro" -prof gc
run two "$java" -jar $jar 'EngineBenchmark|BudgetBenchmark' "${several[@]}" -t 2 -prof gc
run eight "$java" -jar $jar 'BudgetBenchmark' -f 1 -t 8 -prof gc
run sixteen "$java" -jar $jar 'TimerBenchmark' "${several[@]}" -t 16
if "$java" --version | grep -qE '^[a-z]+ (2[1-9]|[3-9][0-9])'; then
  run virtual "${pin[@]}" "$java" -jar $jar 'EngineBenchmark' -f 1 -jvmArgsAppend -Djmh.executor=VIRTUAL
fi
run slots "$java" -jar $jar 'SlotsBenchmark'
run waiting "$java" -jar $jar 'WaitingBenchmark'
if [ -n "$old" ]; then
  run old "${pin[@]}" "$old" -jar $jar "$micro" -prof gc -f 1 -wi 3 -i 3 -w 500ms -r 500ms
fi
# name, then what to count
census() {
  local name=$1
  shift
  note "java -XX:+UseSerialGC -Xms2g -Xmx2g -Xmn1g -cp $jar dev.steadfast.retry.jmh.Census $*"
  "$java" -XX:+UseSerialGC -Xms2g -Xmx2g -Xmn1g -cp $jar dev.steadfast.retry.jmh.Census "$@" \
    >"$out/census-$name.txt"
}

census 1-okhttp OkHttpBenchmark.getSteadfast OkHttpBenchmark.getPlain
census 2-jdk JdkClientBenchmark.asyncSteadfast JdkClientBenchmark.asyncPlain
census 3-waiting waiting
note "# load at the end: $(cut -d' ' -f1-3 /proc/loadavg)"
"$java" -cp $jar dev.steadfast.retry.jmh.report.Report "$out" docs
echo "docs/benchmarks.md"
