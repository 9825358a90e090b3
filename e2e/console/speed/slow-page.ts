// A page on a slow machine and a slow line, and what its browser reports about it.
import type { Page } from 'playwright-core'
import { until } from '../../support/wait.ts'

/** Fast 3G as WebPageTest has it, in bytes per second and milliseconds. */
export const FAST_3G = { downloadThroughput: 1_600_000 / 8, uploadThroughput: 768_000 / 8, latency: 150 } as const

const WATCH = `globalThis.speed = { tasks: [], interactions: [] }
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) speed.tasks.push(duration)
}).observe({ type: 'longtask' })
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) speed.interactions.push(duration)
}).observe({ type: 'event', durationThreshold: 16 })`

/** Has each document of the page report its long tasks and interactions. Before it is opened. */
export function watchSpeed(page: Page): Promise<unknown> {
  return page.addInitScript(WATCH)
}

/**
 * Throttles the page until `quicken` is called.
 * @param cpu how many times slower than this machine
 */
export async function slowDown(
  page: Page,
  { cpu, line }: { cpu: number; line?: typeof FAST_3G },
): Promise<{ quicken: () => Promise<void>; emptyCache: () => Promise<unknown> }> {
  const protocol = await page.context().newCDPSession(page)
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: cpu })
  if (line) await protocol.send('Network.enable')
  if (line) await protocol.send('Network.emulateNetworkConditions', { offline: false, ...line })
  return {
    emptyCache: () => protocol.send('Network.clearBrowserCache'),
    async quicken() {
      await protocol.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      await protocol.detach()
    },
  }
}

/**
 * Milliseconds from an input to the frame that shows its effect, as "Interaction to Next Paint" counts them: the longest
 * of the events that belong to it.
 */
export async function interactionOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(`speed.interactions = []`)
  await act()
  await until('the browser reports the interaction', () => page.evaluate<boolean>(`speed.interactions.length > 0`))
  return page.evaluate<number>(`Math.max(...speed.interactions)`)
}

/** Milliseconds of the longest task since the last call. */
export async function longestTask(page: Page): Promise<number> {
  // Entries are delivered when the page is idle.
  await page.evaluate(`new Promise((resolve) => requestIdleCallback(resolve))`)
  return page.evaluate<number>(`Math.max(0, ...speed.tasks.splice(0))`)
}

/** Milliseconds from the start of a navigation to the frame with the first row, measured in the page. */
export async function firstRow(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: 'commit' })
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = () => document.querySelector('tbody tr a')
      ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look)
    look()
  })`)
}
