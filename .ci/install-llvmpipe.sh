#!/usr/bin/env bash
# Mesa's software Vulkan driver, new enough for Dawn (Debian 12's own is refused), from bookworm-backports.
# Does nothing where the adapter can already be opened.
set -euo pipefail

usable() {
  XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp} node --input-type=module -e "
    const { openDevice } = await import('./dist/gpu/device.js');
    const { description } = await openDevice('llvmpipe');
    console.log(description.name + ' (' + description.driver + ')');
    process.exit(0);" 2>/dev/null
}

usable && exit 0
entry=$(node .ci/backports-source.mjs /etc/apt bookworm-backports)
if [ -n "$entry" ]; then
  case $entry in
    Types:*) file=/etc/apt/sources.list.d/hindcast-backports.sources ;;
    *) file=/etc/apt/sources.list.d/hindcast-backports.list ;;
  esac
  printf '%s\n' "$entry" > "$file"
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends libvulkan1
apt-get install -qy --no-install-recommends -t bookworm-backports mesa-vulkan-drivers
usable || { echo 'llvmpipe is installed, but Dawn cannot open it' >&2; exit 1; }
