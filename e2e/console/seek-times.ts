// Measures the time from a keystroke until the requested moment is visible, in a recording of ten hours: `node
// scripts/run.js e2e/console/seek-times.ts [megabytes] [seeks]`.
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { startProduct } from '../support/product.ts'
import { HOURS, exchangeRecording, longCast, recordSession, switchRecordingOn, untilIndexed } from './long-recording.ts'
import { spread } from './spread.ts'
import { openSignedIn } from './steps.ts'

const megabytes = Number(process.argv[2] ?? 20)
const seeks = Number(process.argv[3] ?? 60)
const PRESS = 'the input event of the slider'

const [browser, product] = await Promise.all([launchBrowser(), startProduct()])
try {
  await switchRecordingOn(product)
  const cast = longCast(megabytes * 1_000_000)
  const uid = await recordSession(product, 'true', () => exchangeRecording(product, cast))
  await untilIndexed(product, uid, 300_000)
  const page = await browser.newPage({ baseURL: product.console, viewport: { width: 1280, height: 800 } })
  let requests = 0
  let bytes = 0
  page.on('response', (response) => {
    if (!response.url().includes('/records/0?')) return
    requests += 1
    response.body().then(
      (body) => (bytes += body.length),
      () => undefined,
    )
  })
  await openSignedIn(page, product, `/sessions/${uid}/play/0`)
  await page.locator('figure[aria-busy=false]').waitFor()
  const random: number[] = []
  const answers: number[] = []
  for (let seek = 1; seek <= seeks; seek += 1) {
    // A fixed sequence of seeks, each far from the previous one, so that nothing is cached.
    const { total, answer } = await timeOf(page, Math.floor(((seek * 0.618_034) % 1) * HOURS * 3_600_000))
    random.push(total)
    answers.push(answer)
    // Prefetching must not overlap the next seek.
    await pause(200)
  }
  const heap = await page.evaluate('performance.memory.usedJSHeapSize')
  print(`${HOURS} hours, ${(cast.length / 1e6).toFixed(1)} MB, ${seeks} seeks, each to a part not read before`)
  print(`from ${PRESS} to the moment on the screen: ${spread(random)}`)
  print(`of it until the server's answer was whole: ${spread(answers)}`)
  print(`requests for each, with those that read ahead: ${(requests / seeks).toFixed(1)}`)
  print(
    `kilobytes for each: ${(bytes / seeks / 1_000).toFixed(0)}; heap of the page: ${(Number(heap) / 1e6).toFixed(0)} MB`,
  )
} finally {
  await browser.close()
  await product.stop()
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Milliseconds, measured in the page. */
function timeOf(page: Page, ms: number): Promise<{ total: number; answer: number }> {
  return page.evaluate(`new Promise((resolve) => {
    performance.clearResourceTimings()
    const figure = document.querySelector('figure')
    const slider = document.querySelector('input[type=range]')
    const start = performance.now()
    let began = false
    new MutationObserver((_, observer) => {
      if (figure.getAttribute('aria-busy') === 'true') began = true
      else if (began) { observer.disconnect(); requestAnimationFrame(() => {
        const first = performance.getEntriesByType('resource').find(({ name }) => name.includes('/records/0?'))
        resolve({ total: performance.now() - start, answer: first ? first.responseEnd - start : 0 })
      }) }
    }).observe(figure, { attributes: true, attributeFilter: ['aria-busy'] })
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(slider, ${ms})
    slider.dispatchEvent(new Event('input', { bubbles: true }))
  })`) as Promise<{ total: number; answer: number }>
}
