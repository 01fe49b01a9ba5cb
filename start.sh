#!/bin/sh
# Sets this checkout up, builds what is stale and becomes `fleet up` with the same arguments:
#   ./start.sh                in the foreground, until Ctrl-C
#   ./start.sh --background   in the background; --status tells of it, --stop ends it
set -eu

self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${self%/*}/$link ;;
  esac
done
case $self in
  */*) root=${self%/*} ;;
  *) root=. ;;
esac

exec "$root/fleet" up "$@"
