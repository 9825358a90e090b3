// Starts processes by posix_spawn: no copy of the agent's memory (0.1 ms of the event loop against 0.9 for fork), a new
// session and controlling terminal, free choice of argv[0], every signal reset to its default.
import { readdirSync } from 'node:fs'
import koffi from 'koffi'
import type { CommandLine } from './command-line.ts'
import { listenForExits } from './exits.ts'
import { limitOpenFiles, openFilesAtStart } from './limits.ts'
import { cMemory, cString, cStrings } from './memory.ts'
import { SystemError } from './system-error.ts'

const libc = koffi.load(null)
const posixSpawn: (...call: [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]) => number = libc.func(
  'int posix_spawn(void *pid, const void *path, const void *actions, const void *attributes, const void *argv, const void *envp)',
)
const actionsInit: (actions: Buffer) => number = libc.func('int posix_spawn_file_actions_init(void *actions)')
const actionsDestroy: (actions: Buffer) => number = libc.func('int posix_spawn_file_actions_destroy(void *actions)')
const addOpen: (actions: Buffer, fd: number, path: Buffer, flags: number, mode: number) => number = libc.func(
  'int posix_spawn_file_actions_addopen(void *actions, int fd, const void *path, int flags, uint32_t mode)',
)
const addDup2: (actions: Buffer, from: number, to: number) => number = libc.func(
  'int posix_spawn_file_actions_adddup2(void *actions, int from, int to)',
)
const attributesInit: (attributes: Buffer) => number = libc.func('int posix_spawnattr_init(void *attributes)')
const setFlags: (attributes: Buffer, flags: number) => number = libc.func(
  'int posix_spawnattr_setflags(void *attributes, short flags)',
)
const setSignalDefaults: (attributes: Buffer, set: Buffer) => number = libc.func(
  'int posix_spawnattr_setsigdefault(void *attributes, const void *set)',
)
const setSignalMask: (attributes: Buffer, set: Buffer) => number = libc.func(
  'int posix_spawnattr_setsigmask(void *attributes, const void *set)',
)
const fcntl: (fd: number, command: number, ...value: ['int', number]) => number = libc.func(
  'int fcntl(int fd, int command, ...)',
)
const O_RDWR = 2
const F_SETFD = 2
const FD_CLOEXEC = 1
const SPAWN_SETSIGDEF = 0x04
const SPAWN_SETSIGMASK = 0x08
const SPAWN_SETSID = 0x80
const everySignal = Buffer.alloc(128, 0xff)
const noSignal = Buffer.alloc(128)

export interface SpawnOptions extends CommandLine {
  /** `NAME=value` strings; nothing is inherited. */
  readonly env: readonly string[]
  /** A terminal's path becomes stdin, stdout, stderr and the controlling terminal; otherwise three descriptors. */
  readonly stdio: string | readonly [stdin: number, stdout: number, stderr: number]
  /**
   * Keeps this process's current limits; otherwise the child gets the open files limit that this process began with.
   */
  readonly keepLimits?: boolean
}

/**
 * Starts a process as leader of a new session and process group, in the agent's current directory.
 * @returns its pid; the caller must pass it to `exitOf` (exits.ts) in the same event loop iteration
 * @throws {SystemError} naming the program, when it does not exist or cannot be run
 */
export function spawnProcess(options: SpawnOptions): number {
  keepDescriptors()
  listenForExits()
  const attributes = cMemory(512)
  attributesInit(attributes)
  setSignalDefaults(attributes, everySignal)
  setSignalMask(attributes, noSignal)
  setFlags(attributes, SPAWN_SETSIGDEF | SPAWN_SETSIGMASK | SPAWN_SETSID)
  const actions = cMemory(512)
  const pid = cMemory(4)
  actionsInit(actions)
  try {
    if (typeof options.stdio === 'string') {
      // Opened by the new session's leader without O_NOCTTY: that makes it the controlling terminal.
      addOpen(actions, 0, cString(options.stdio), O_RDWR, 0)
      addDup2(actions, 0, 1)
      addDup2(actions, 0, 2)
    } else {
      options.stdio.forEach((fd, index) => addDup2(actions, fd, index))
    }
    const path = cString(options.path)
    const argv = cStrings(options.argv)
    const env = cStrings(options.env)
    // The limit is inherited at start, so the agent is lowered for that moment too: it opens nothing meanwhile.
    const raiseAgain = options.keepLimits ? () => undefined : limitOpenFiles(openFilesAtStart())
    const failure = posixSpawn(pid, path, actions, attributes, argv, env)
    raiseAgain()
    if (failure !== 0) throw new SystemError(`cannot start ${options.path}`, failure)
  } finally {
    actionsDestroy(actions)
  }
  return pid.readInt32LE(0)
}

/**
 * Marks descriptors that the agent itself inherited (from a service manager, a shell) as close-on-exec, once: those
 * opened by Node and this program already are.
 */
function keepDescriptors(): void {
  if (kept) return
  kept = true
  for (const name of readdirSync('/proc/self/fd')) {
    if (Number(name) > 2) fcntl(Number(name), F_SETFD, 'int', FD_CLOEXEC)
  }
}
let kept = false
