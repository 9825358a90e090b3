// The product's performance targets: medians of ratios to a peer on the same machine in the same run, and a few
// absolute figures. A build that misses a `must` must not be released.
import type { Target } from './row.ts'

const more = (must: number, aim: number): Target => ({ better: 'more', must, aim })
const less = (must: number, aim: number): Target => ({ better: 'less', must, aim })

export const TARGETS = {
  bulk: {
    /** OpenSSH in the product's place, over the same two hops of Node. */
    relayed: { down: more(1, 1.2), up: more(1, 1.2) },
    /** Where each process has a core: the product's path has four where sshd's has two. */
    sshd: {
      'aes128-gcm': { down: more(0.75, 1), up: more(0.9, 1) },
      'chacha20-poly1305': { down: more(0.8, 1), up: more(0.8, 1) },
    },
    jump: { 'aes128-gcm': { down: more(1.6, 2.2), up: more(2, 2.2) } },
  },
  /** Server CPU seconds per GB. The full path is the sum of the SSH side and the link side. */
  cpu: {
    path: { down: less(1.3, 0.95), up: less(1.05, 0.9) },
    ssh: { down: less(0.65, 0.5), up: less(0.6, 0.5) },
    link: { down: less(0.65, 0.45), up: less(0.45, 0.4) },
  },
  connect: less(0.25, 0.12),
  /** Milliseconds of gateway CPU per handshake with ML-KEM. */
  handshake: less(2.5, 1.5),
  keystroke: { p50: less(1.3, 1), p99: less(2, 1.2) },
  /** KB of gateway memory per idle agent. */
  idleAgent: { plain: less(16, 10), tls: less(64, 40) },
  restart: {
    /** Seconds until the last agent is back. */
    back: less(15, 5),
    /** Longest event loop stall, milliseconds. */
    stall: less(200, 200),
  },
  /** A device of another node of the same installation, compared with one of the same node. */
  hop: {
    /** Milliseconds more, p50. */
    keystroke: less(0.3, 0.15),
    bulk: more(0.85, 0.95),
    /** CPU per login of two nodes that have their own devices, compared with one. */
    login: less(1.05, 1),
  },
  /** Seconds until the last agent is back after all nodes have restarted. */
  nodes: { back: less(60, 15) },
  /** Ratios to the npm package ssh2: none may be worse. */
  former: { more: more(1, 1.2), less: less(1, 0.8) },
  /** Recorded terminal output, compared with unrecorded output. */
  recording: more(0.9, 0.97),
  /** Complete programs on top of ssh: time compared with a direct connection. */
  tools: less(1.15, 1),
  /** One large file: time of bulk bytes compared with sshd (`bulk` has their rate), where each has a core. */
  sftp: { up: less(1.15, 1), down: less(1.33, 1) },
  /** One body compared with `ssh -L`; requests a second compared with nginx. */
  httpTunnel: { stream: more(0.9, 1), requests: more(0.5, 0.8) },
  /** A list of a namespace of 100,000 devices compared with one of 1,000. */
  list: less(3, 1.5),
} as const
