# Finds a JDK and Maven. Sourced by ./tandem and ./verify; plain POSIX sh, no output unless something is missing.

tandem_java_minimum=25

# Prints the feature version of the Java installation $1, or nothing. Reads its release file; starts no JVM.
java_feature_of() {
    [ -x "$1/bin/java" ] && [ -r "$1/release" ] || return 1
    while IFS= read -r release_line || [ -n "$release_line" ]; do
        case $release_line in
            JAVA_VERSION=*)
                release_line=${release_line#*=}
                release_line=${release_line#\"}
                release_line=${release_line%\"}
                case $release_line in 1.*) release_line=${release_line#1.} ;; esac
                printf '%s' "${release_line%%[!0-9]*}"
                return 0
                ;;
        esac
    done <"$1/release"
    return 1
}

# Is $1 a Java that can do what $2 (java or javac) needs? Remembers what was found but is too old.
java_suits() {
    java_version=$(java_feature_of "$1") || return 1
    [ -n "$java_version" ] || return 1
    if [ "$java_version" -lt "$tandem_java_minimum" ]; then
        case $java_too_old in
            *" $1 ("*) ;;
            *) java_too_old="$java_too_old
    $1 (Java $java_version)" ;;
        esac
        return 1
    fi
    [ "$2" = java ] || [ -x "$1/bin/javac" ] || return 1
    # A trimmed run-time image may lack the Vector API.
    ! grep -q '^MODULES=' "$1/release" || grep -q '^MODULES=.*jdk\.incubator\.vector' "$1/release"
}

# Prints the installation that the java on PATH belongs to, following links.
java_home_on_path() {
    java_link=$(command -v java) || return 1
    case $java_link in /*) ;; *) return 1 ;; esac
    while [ -h "$java_link" ]; do
        java_target=$(readlink "$java_link") || return 1
        case $java_target in
            /*) java_link=$java_target ;;
            *) java_link=${java_link%/*}/$java_target ;;
        esac
    done
    (CDPATH='' cd -- "${java_link%/*}/.." 2>/dev/null && pwd -P)
}

# find_jdk java|javac: sets JDK to a suitable installation, or says what to install and returns 1.
find_jdk() {
    JDK=
    java_too_old=
    if [ -n "${TANDEM_JAVA_HOME-}" ]; then
        java_suits "$TANDEM_JAVA_HOME" "$1" && JDK=$TANDEM_JAVA_HOME && return 0
        echo "tandem: TANDEM_JAVA_HOME=$TANDEM_JAVA_HOME is no JDK $tandem_java_minimum or newer." >&2
        echo "    Point it at one, or unset it to have the usual places searched." >&2
        return 1
    fi
    if [ -n "${JAVA_HOME-}" ]; then
        java_suits "$JAVA_HOME" "$1" && JDK=$JAVA_HOME && return 0
    fi
    java_candidate=$(java_home_on_path) && java_suits "$java_candidate" "$1" && JDK=$java_candidate && return 0
    for java_candidate in \
        /usr/lib/jvm/* /opt/* "${HOME-}"/.sdkman/candidates/java/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        "${HOME-}"/.jdks/* "${HOME-}"/Library/Java/JavaVirtualMachines/*/Contents/Home; do
        java_suits "$java_candidate" "$1" || continue
        # The version that Tandem is tested with wins over newer ones.
        [ "$java_version" -eq "$tandem_java_minimum" ] && JDK=$java_candidate && return 0
        [ -n "$JDK" ] || JDK=$java_candidate
    done
    [ -z "$JDK" ] || return 0
    cat >&2 <<END
tandem: no JDK $tandem_java_minimum or newer found (in TANDEM_JAVA_HOME, JAVA_HOME, PATH and the usual folders).${java_too_old:+
  Found, but too old:$java_too_old}
  Debian, Ubuntu:  sudo apt install openjdk-25-jdk-headless   (where the release has it)
  macOS:           brew install openjdk@25
  Any system:      unpack a JDK 25 archive from https://adoptium.net and set JAVA_HOME to its folder
END
    return 1
}

# find_maven: sets MVN and prepares its environment (call find_jdk first), or says what to install and returns 1.
find_maven() {
    maven_version=
    if MVN=$(command -v mvn); then
        maven_version=$(JAVA_HOME=$JDK "$MVN" -v 2>/dev/null | sed -n 's/.*Apache Maven \([0-9.]*\).*/\1/p')
    fi
    case $maven_version in
        '' | [12].* | 3.[0-7] | 3.[0-7].*)
            cat >&2 <<END
tandem: building needs Maven 3.8 or newer; ${maven_version:+found only Maven }${maven_version:-there is no mvn on the PATH}.
  Debian, Ubuntu:  sudo apt install maven
  macOS:           brew install maven
  Any system:      unpack an archive from https://maven.apache.org/download.cgi and add its bin folder to PATH
END
            return 1
            ;;
    esac
    JAVA_HOME=$JDK
    # Maven's own libraries make a current JDK print warnings that say nothing about this build.
    MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED ${MAVEN_OPTS-}"
    export JAVA_HOME MAVEN_OPTS
}
