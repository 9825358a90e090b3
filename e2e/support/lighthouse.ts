// Lighthouse in Debian's Chromium, as a phone and as a desktop.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import lighthouse, { type Config, type Result, desktopConfig } from 'lighthouse'
import { type BrowserContext, chromium } from 'playwright-core'
import { CHROMIUM, QUIET } from './browser.ts'

export const PRESETS: readonly (readonly [string, Config | undefined])[] = [
  ['mobile', undefined],
  ['desktop', desktopConfig],
]
const RUNS = 3

export interface Judge extends AsyncDisposable {
  /** Its pages share cookies with those that are judged. */
  readonly context: BrowserContext
  /** The run with the median performance: other load on the machine distorts the score. Nothing is cached at its start. */
  judge(address: string, config: Config | undefined): Promise<Result>
}

export async function startLighthouse(): Promise<Judge> {
  const profile = await mkdtemp(join(tmpdir(), 'bowline-lighthouse-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    args: [...QUIET, '--remote-debugging-port=0'],
  })
  const port = Number((await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n')[0])
  const protocol = await context.newCDPSession(context.pages()[0] ?? (await context.newPage()))
  return {
    context,
    async judge(address, config) {
      const results: Result[] = []
      for (let tries = 0; results.length < RUNS; tries += 1) {
        await protocol.send('Network.clearBrowserCache')
        // A reset would also sign out.
        const run = await lighthouse(address, { port, logLevel: 'error', disableStorageReset: true }, config)
        // Some traces lack a start event; Lighthouse asks for another run then.
        if (run && !run.lhr.runtimeError) results.push(run.lhr)
        else if (tries > RUNS) throw new Error(`${address}: ${run?.lhr.runtimeError?.message ?? 'no result'}`)
      }
      const speed = ({ categories }: Result): number => categories['performance']?.score ?? 0
      const middle = results.toSorted((a, b) => speed(a) - speed(b))[Math.floor(RUNS / 2)]
      if (!middle) throw new Error('no run')
      return middle
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}
