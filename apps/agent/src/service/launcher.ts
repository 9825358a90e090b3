// The program that the service manager starts: a few lines of sh that keep the agent running. It starts a new version
// beside the old one, whose sessions go on, and returns to the version before when the new one ends while on trial.
import { readFileSync } from 'node:fs'
import { LAUNCHER } from './places.ts'

/**
 * USR1: start the current version beside the one that runs. USR2: end the one that was started last, start the current
 * one instead. TERM ends the last one; earlier ones end with this process (prctl(2), PR_SET_PDEATHSIG).
 * @param programs folder of versions
 * @param origin whose file it is
 */
export function launcherText(programs: string, origin: string): string {
  return `#!/bin/sh
# ${origin}.
programs=${programs}
stop= next= instead= agent=
trap 'stop=1; [ -z "$agent" ] || kill -TERM "$agent" 2>/dev/null' TERM INT
trap 'next=1' USR1
trap 'instead=1' USR2

return_to_previous() {
  "$programs/previous/bowline" agent return "$1" || rm -f "$programs/previous"
}

# A version was on trial when the machine or the service was stopped.
[ ! -L "$programs/previous" ] || return_to_previous interrupted
# The package manager has brought a version that has not run yet.
[ ! -L "$programs/next" ] || mv -T "$programs/next" "$programs/current"

while [ -z "$stop" ]; do
  "$programs/current/bowline" agent &
  agent=$!
  # A signal interrupts wait, and may have come before there was anything to wait for.
  [ -z "$stop" ] || kill -TERM "$agent" 2>/dev/null
  while :; do
    wait "$agent"
    status=$?
    if [ -n "$instead" ]; then
      instead=
      kill -KILL "$agent" 2>/dev/null
      wait "$agent" 2>/dev/null
      continue 2
    fi
    if [ -n "$next" ]; then
      next=
      continue 2
    fi
    kill -0 "$agent" 2>/dev/null || break
  done
  agent=
  [ -z "$stop" ] || break
  if [ -L "$programs/previous" ]; then
    return_to_previous ended
    continue
  fi
  # Wrong settings stay wrong.
  [ "$status" != 2 ] || exit 2
  sleep 2
done
exit 0
`
}

/** Process id of the launcher that started this process; undefined when something else did. */
export function launcherPid(): number | undefined {
  try {
    const words = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0')
    return words.includes(LAUNCHER) ? process.ppid : undefined
  } catch {
    return undefined
  }
}
