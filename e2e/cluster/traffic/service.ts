// A service of the device that answers `GET /SECONDS` with numbered lines, a thousand each second.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type Service, serve } from '../../tunnels/services/service.ts'
import { numberedLines } from '../numbered.ts'

const SECOND_MS = 1_000

async function* paced(seconds: number): AsyncGenerator<string> {
  for (let second = 0; second < seconds; second += 1) {
    yield numberedLines(second)
    await pause(SECOND_MS)
  }
}

export function startNumberedService(): Promise<Service> {
  const server = createServer(({ url = '/' }, answer) => {
    answer.on('error', () => undefined)
    Readable.from(paced(Number(url.slice(1)))).pipe(answer)
  })
  return serve(server, 'HTTP/1.1')
}
