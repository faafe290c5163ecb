# shellcheck shell=bash
# What scripts/quickstart and scripts/test share: steps that are quiet while all is well, and the
# installation of packages. To be sourced, from the root of the checkout.

logs=build/logs
started=$SECONDS

# When commands that run under `in_time` end, in seconds since the start; empty for never.
end_s=''
# What ninja, ctest and compilers print of a failure: a step stopped for its time is sound without.
failed='^FAILED: |[*]{3}(Failed|Timeout|Exception|Not Run)|: (fatal )?error: '

# in_time COMMAND...: runs the command, stopped when end_s is reached.
in_time() {
  if [[ -z $end_s ]]; then
    "$@"
  else
    timeout --kill-after=20 "$(seconds_left)" "$@"
  fi
}

# seconds_left: until end_s; at least one.
seconds_left() {
  local left=$((end_s - (SECONDS - started)))
  printf '%d' $((left > 0 ? left : 1))
}

is_late() { [[ -n $end_s ]] && ((SECONDS - started >= end_s)); }

# step TITLE COMMAND...: runs the command with its output in a log; one line says how long it took.
# A failure shows the end of the log, and ends the script. So does a step that was stopped because
# the time is up, in success: nothing had failed.
step() {
  local title=$1 log begin=$SECONDS status=0
  shift
  mkdir -p "$logs"
  log=$logs/$(tr -cs '[:alnum:]\n' '-' <<<"$title").log
  printf '%-58s' "$title"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    printf '%5d s\n' $((SECONDS - begin))
    return
  elif ((status == 124 || status == 137)) && is_late && ! grep -qE "$failed" "$log"; then
    printf ' stopped after %d s\n' $((SECONDS - begin))
    finish 'the time is up: what follows is left out'
    exit 0
  fi
  printf ' FAILED after %d s\n' $((SECONDS - begin))
  printf '\nThe end of %s:\n' "$log"
  tail -n "${step_tail:-40}" "$log" | sed 's/^/  /'
  show_assertions "$log"
  if [[ -n ${step_hint:-} ]]; then printf '\n%s\n' "$step_hint"; fi
  exit 1
}

# show_assertions LOG: the first that tests failed by, last in the output: ctest ends with long lists,
# and who looks may see no more than the end.
show_assertions() {
  local assertions wrong=': Failure$|(ERROR|WARNING): .*Sanitizer|runtime error: |^SUMMARY: .*Sanitizer'
  assertions=$(grep -E -A4 "^\[ RUN |$wrong" "$1" | grep -E -B1 -A4 "$wrong" |
    cut -c1-300 | head -n 40) || true
  if [[ -n $assertions ]]; then printf '\nWhat failed:\n%s\n' "$assertions"; fi
}

# packages_for PURPOSE...: their names, out of scripts/packages.
packages_for() {
  local purpose
  for purpose in "$@"; do
    sed -n "s/^$purpose: *//p" scripts/packages | tr ' ' '\n'
  done
}

is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

# apt_install PACKAGE...: never removes anything to make room.
apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends --no-remove \
      -o DPkg::Lock::Timeout=120 install "$@"
}

# ensure_packages PURPOSE...: installs what is missing of their packages.
ensure_packages() {
  local package missing=() step_hint
  for package in $(packages_for "$@"); do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    printf 'This script installs packages with apt-get (Debian 12), and there is none here.\n' >&2
    printf 'Needed: %s\n' "${missing[*]}" >&2
    exit 1
  fi
  step_hint="Missing: ${missing[*]}
Debian 12 has them all; check the network and the sources of apt, then run this again."
  step "install ${#missing[@]} packages" apt_install "${missing[@]}"
}

# finish TEXT: the last line, with the time of all steps.
finish() {
  printf '%-58s%5d s\n' "$1" $((SECONDS - started))
}
