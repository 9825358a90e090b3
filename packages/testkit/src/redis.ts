// A real Redis server, from Debian (`redis-server`), that tests may kill, stop and fill. It keeps nothing on the disk.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'

export interface RedisServer {
  readonly port: number
  readonly password: string
  /** Address with the password, or another one. */
  url(password?: string): string
  /** Runs a command as an inline request. @returns the first line of the answer */
  command(line: string): Promise<string>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it at once. */
  kill(): Promise<void>
  /** Starts it again, on the same port. */
  start(): Promise<void>
}

/** The reason why Redis cannot run here; undefined when it can. */
export function redisMissing(): string | undefined {
  const tried = spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
  return tried.status === 0 ? undefined : 'redis-server is not installed'
}

/** Starts an empty server with a password. */
export async function startRedis(): Promise<RedisServer> {
  const password = 'password-of-redis'
  const port = await freePort()
  let child: ChildProcess | undefined

  /** Inline commands of a connection of their own; the first answer is that to AUTH. */
  function command(line: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('error', reject).on('data', (bytes: Buffer) => {
      answer += bytes.toString()
      const [first, second] = answer.split('\r\n')
      if (answer.split('\r\n').length < 3) return
      socket.destroy()
      if (first === '+OK') resolve(second ?? '')
      else reject(new Error(first))
    })
    socket.write(`AUTH ${password}\r\n${line}\r\n`)
    return promise
  }

  async function start(): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--requirepass', password]
    const own = spawn('redis-server', [...settings, '--save', '', '--appendonly', 'no', '--dir', '/tmp'], {
      stdio: 'ignore',
    })
    child = own
    for (;;) {
      if (own.exitCode !== null) throw new Error(`redis-server ended with status ${own.exitCode}`)
      if ((await command('PING').catch(() => '')) === '+PONG') return
      await pause(20)
    }
  }

  await start()
  return {
    port,
    password,
    url: (own = password) => `redis://:${own}@127.0.0.1:${port}`,
    command,
    signal: (name) => void child?.kill(name),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    start,
  }
}
