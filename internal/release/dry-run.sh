#!/usr/bin/env bash
# A release into a repository of files, which nobody else sees: builds the artifacts with a release
# version, checks each, and compiles the Java blocks of the README in a project that has nothing but
# that repository. Leaves out what needs credentials: signing and the upload.
#
# Needs JDK 25 or newer, as a release does. Takes the tracked files of the work tree as they are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
work=$root/target/release-dry-run
repository=$work/repository
artifacts="retry-core retry-resilience4j retry-server retry-operations retry-journal retry-journal-db-scheduler retry-okhttp retry-java-httpclient retry-apache-httpclient5 retry-effects retry-micrometer retry-jfr retry-opentelemetry retry-spring retry-spring-boot-starter retry-testkit retry-adapter-tck"
# A jar that holds all it needs and is run, not depended on.
program=retry-journal-cli

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

java_home=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}
jar=$java_home/bin/jar

module_of() {
  case $1 in
    retry-core) echo dev.steadfast.retry ;;
    retry-java-httpclient) echo dev.steadfast.retry.httpclient ;;
    retry-apache-httpclient5) echo dev.steadfast.retry.apache5 ;;
    retry-spring-boot-starter) echo dev.steadfast.retry.spring.boot ;;
    retry-adapter-tck) echo dev.steadfast.retry.tck ;;
    retry-journal-db-scheduler) echo dev.steadfast.retry.journal.dbscheduler ;;
    *) echo "dev.steadfast.retry.${1#retry-}" ;;
  esac
}

# ---- build

snapshot=$(sed -n 's|^  <version>\(.*\)</version>.*|\1|p' pom.xml | head -1)
version=${snapshot%-SNAPSHOT}
rm -rf "$work"
mkdir -p "$work/source"
git ls-files -z | tar --null --files-from=- -cf - | tar -C "$work/source" -xf -
find "$work/source" -name pom.xml -exec sed -i "s|<version>$snapshot</version>|<version>$version</version>|" {} +
echo "== build of $version (log: target/release-dry-run/build.log)"
(
  cd "$work/source"
  # A directory .mvn marks the root of the copy, as it does that of the original.
  mvn -B -ntp -DskipTests -Dmaven.install.skip -pl "retry-bom,$program,${artifacts// /,}" -am deploy \
    "-DaltDeploymentRepository=dry-run::file://$repository" >"$work/build.log" 2>&1
) || { grep -E '^\[ERROR\]' "$work/build.log" | head -20 >&2; fail "the build"; }

# The local repository of this machine serves what others have released; ours comes from the dry run.
cache=$(mvn -q -N -B help:evaluate -Dexpression=settings.localRepository -DforceStdout 2>/dev/null |
  tail -1 | sed 's/\x1b\[[0-9;]*m//g')
[ -d "$cache" ] || fail "no local repository $cache"
# Of a deployment Maven keeps a note there, which names a version that does not exist.
find "$cache" -path '*/dev/steadfast/*' -name 'maven-metadata-dry-run.xml*' -delete

# ---- what was deployed

echo "== artifacts"
expected=$(printf '%s\n' retry-bom steadfast-parent $program $artifacts | sort)
deployed=$(cd "$repository/dev/steadfast" && find . -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
[ "$deployed" = "$expected" ] || fail "deployed: $deployed"
bom=$repository/dev/steadfast/retry-bom/$version/retry-bom-$version.pom
parent=$repository/dev/steadfast/steadfast-parent/$version/steadfast-parent-$version.pom
for pom in "$bom" "$parent"; do
  for element in name description url licenses developers scm; do
    grep -q "<$element>" "$pom" || fail "no <$element> in $pom"
  done
done
echo "retry-bom, steadfast-parent: POM"

for artifact in $artifacts; do
  directory=$repository/dev/steadfast/$artifact/$version
  prefix=$directory/$artifact-$version
  pom=$prefix.pom
  for element in name description; do
    grep -q "<$element>" "$pom" || fail "no <$element> in $pom"
  done
  if grep -q SNAPSHOT "$pom"; then fail "a snapshot in $pom"; fi
  grep -q "<artifactId>$artifact</artifactId>" "$bom" || fail "the BOM lacks $artifact"
  for kind in "" -sources -javadoc; do
    [ -s "$prefix$kind.jar" ] || fail "no $prefix$kind.jar"
    mkdir -p "$work/unpacked/$artifact$kind"
    (cd "$work/unpacked/$artifact$kind" && "$jar" xf "$prefix$kind.jar")
    cmp -s LICENSE "$work/unpacked/$artifact$kind/META-INF/LICENSE" ||
      fail "$artifact$kind lacks META-INF/LICENSE"
  done
  found=$(find "$directory" -name '*.jar' -printf '%f\n' | sort | tr '\n' ' ')
  module=$(module_of "$artifact")
  case $("$jar" --describe-module --file "$prefix.jar") in
    "$module "* | "$module@$version "*) ;;
    *) fail "$artifact is not the module $module" ;;
  esac
  [ -n "$(find "$work/unpacked/$artifact-sources" -name '*.java' -print -quit)" ] ||
    fail "$artifact-sources has no sources"
  [ -n "$(find "$work/unpacked/$artifact-javadoc" -name index.html -print -quit)" ] ||
    fail "$artifact-javadoc has no pages"
  grep -q "^Implementation-Version: $version" "$work/unpacked/$artifact/META-INF/MANIFEST.MF" ||
    fail "the manifest of $artifact has no version"
  echo "$artifact: POM, BOM, module $module, licence; $found"
done

prefix=$repository/dev/steadfast/$program/$version/$program-$version
for kind in "" -sources -javadoc; do
  [ -s "$prefix$kind.jar" ] || fail "no $prefix$kind.jar"
done
"$java_home/bin/java" -jar "$prefix.jar" journal help | grep -q "settle NAME KEY applied" ||
  fail "$program does not run"
echo "$program: POM, runs"

# ---- a project of a user

echo "== README in a fresh project"
fresh=$work/fresh
mkdir -p "$fresh"
cp -R docs/examples/src/main/java "$fresh/java"
includes=""
blocks=0
while read -r region; do
  file=$(grep -rlE "// region $region\$" "$fresh/java") || fail "no class has the region $region"
  # The text of the README, in place of the region that it quotes.
  awk -v region="$region" '
    FNR == NR { if ($0 == "<!-- region: " region " -->") { wanted = 1 }
                else if (wanted && $0 == "```java") { inside = 1 }
                else if (inside && $0 == "```") { inside = 0; wanted = 0 }
                else if (inside) { block = block $0 "\n" }
                next }
    $0 ~ "// region " region "$" { printf "%s", block; skipping = 1; next }
    skipping && /\/\/ endregion/ { skipping = 0; next }
    !skipping { print }
  ' README.md "$file" >"$work/replaced.java"
  mv "$work/replaced.java" "$file"
  includes="$includes<include>${file#"$fresh/java/"}</include>"
  blocks=$((blocks + 1))
done < <(sed -n 's/^<!-- region: \(.*\) -->$/\1/p' README.md)
[ "$blocks" = "$(grep -c '^```java$' README.md)" ] || fail "a Java block of the README names no region"

property() {
  sed -n "s|.*<$1>\(.*\)</$1>.*|\1|p" pom.xml | head -1
}
dependency() {
  echo "<dependency><groupId>$1</groupId><artifactId>$2</artifactId>${3:+<version>$3</version>}</dependency>"
}
repositories() {
  for each in "dry-run file://$repository" "cache file://$cache"; do
    echo "<$1><id>${each%% *}</id><url>${each#* }</url></$1>"
  done
}
cat >"$fresh/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>fresh</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>$(repositories repository)</repositories>
  <pluginRepositories>$(repositories pluginRepository)</pluginRepositories>
  <dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>dev.steadfast</groupId>
        <artifactId>retry-bom</artifactId>
        <version>$version</version>
        <type>pom</type>
        <scope>import</scope>
      </dependency>
    </dependencies>
  </dependencyManagement>
  <dependencies>
    $(for artifact in $artifacts; do dependency dev.steadfast "$artifact"; done)
    $(dependency com.squareup.okhttp3 okhttp-jvm "$(property okhttp.version)")
  </dependencies>
  <build>
    <sourceDirectory>java</sourceDirectory>
    <plugins>
      <plugin>
        <artifactId>maven-resources-plugin</artifactId>
        <version>3.5.0</version>
      </plugin>
      <plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.16.0</version>
        <configuration>
          <includes>$includes</includes>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
POM
mkdir -p "$fresh/.mvn"
mvn -B -ntp -f "$fresh/pom.xml" "-Dmaven.repo.local=$work/local-repository" compile \
  >"$work/fresh.log" 2>&1 || {
  grep -E '^\[ERROR\]' "$work/fresh.log" | head -20 >&2
  fail "the README does not compile (log: target/release-dry-run/fresh.log)"
}
for artifact in $artifacts; do
  file=dev/steadfast/$artifact/$version/$artifact-$version.jar
  cmp -s "$repository/$file" "$work/local-repository/$file" || fail "$artifact came from elsewhere"
done
echo "$blocks Java blocks of the README compile with the artifacts through the BOM"

# The artifacts of ours that the README tells users to add.
named=$(sed -n '/^```xml$/,/^```$/p' README.md |
  grep -A1 '<groupId>dev.steadfast</groupId>' |
  sed -n 's|.*<artifactId>\([^<]*\)</artifactId>.*|\1|p')
[ -n "$named" ] || fail "the README names no artifact"
for artifact in $named; do
  [ -d "$repository/dev/steadfast/$artifact" ] || fail "the README names $artifact, which was not released"
done
echo "artifacts that the README names:" $named
echo "== passed"
