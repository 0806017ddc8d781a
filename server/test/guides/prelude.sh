# Runs the commands of a guide: prelude.sh FUNCTIONS PAGE. Strict where a terminal goes on: an unset variable, a failed command in a
# pipe and an answer with an error status end it.
set -Eeuo pipefail
trap 'echo "${BASH_SOURCE[0]}:$LINENO: exit code $? of: $BASH_COMMAND" >&2' ERR

curl() { command curl --silent --show-error --fail-with-body --max-time 60 "$@"; }
carillon() { CARILLON_DATA_DIR=$PWD/.carillon command node "$GUIDE_CLI" "$@"; } # as in the checkout that the service runs in

# The service of the guide runs already: a start only reads its settings. Commands of the operator use its database.
service() {
  if [ $# -eq 0 ]; then
    command node "$GUIDE_SERVER" --version
  else
    CARILLON_DATA_DIR=$SERVICE_DATA_DIR command node "$GUIDE_SERVER" "$@"
  fi
}
npx() {
  local package=$1
  shift
  case $package in
    @carillon/server) service "$@" ;;
    @carillon/cli) carillon "$@" ;;
    *) echo "npx $package would ask a registry" >&2; return 1 ;;
  esac
}
npm() {
  [ "${1-}" = start ] || { echo "npm $* is no command of an operator" >&2; return 1; }
  shift
  [ "${1-}" != -- ] || shift
  service "$@"
}

. "$1"
. "$2"
