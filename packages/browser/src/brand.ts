// What makes console and documentation look like one product: mark, colours, fonts, corners. The console's theme and
// the documentation's stylesheet are made from it. Every colour pair used for text has a contrast of at least 4.5:1 in
// both schemes (WCAG 2.2, 1.4.3).

/** Ten shades, light to dark. */
type Shades = readonly [string, string, string, string, string, string, string, string, string, string]

/** The accent. */
export const SEA: Shades = [
  '#e9f5f7',
  '#d2e8ec',
  '#a5d2da',
  '#76bbc7',
  '#4fa8b7',
  '#37a0b0',
  '#1e8a9c',
  '#0f7285',
  '#0b6072',
  '#064d5c',
]

/** Greys of the light scheme. */
export const GRAY: Shades = [
  '#f6f8f9',
  '#eef2f4',
  '#e2e8eb',
  '#d2dadf',
  '#b6c1c8',
  '#8b99a3',
  '#56646f',
  '#3f4c56',
  '#29343c',
  '#172027',
]

/** Greys of the dark scheme. */
export const DARK: Shades = [
  '#d6dfe4',
  '#b5c0c8',
  '#9ba8b2',
  '#64727d',
  '#36424c',
  '#27313a',
  '#1a2229',
  '#11171c',
  '#0c1115',
  '#080b0e',
]

export const FONT = '"Inter Variable", system-ui, sans-serif'
export const MONOSPACE_FONT = '"JetBrains Mono Variable", ui-monospace, monospace'

/** Of corners, in pixels. */
export const RADIUS = 6

/** Colours by what they are for. */
interface Scheme {
  readonly body: string
  readonly text: string
  readonly dimmed: string
  readonly side: string
  readonly panel: string
  readonly line: string
  readonly hover: string
  readonly code: string
  readonly ok: string
  readonly warn: string
  readonly danger: string
  readonly accent: string
  readonly 'accent-fill': string
}

export const LIGHT_SCHEME: Scheme = {
  body: '#ffffff',
  text: GRAY[9],
  dimmed: GRAY[6],
  side: GRAY[0],
  panel: '#ffffff',
  line: GRAY[2],
  hover: '#f1f5f7',
  code: GRAY[1],
  ok: '#11672f',
  warn: '#8a5300',
  danger: '#b3261e',
  accent: SEA[8],
  'accent-fill': SEA[0],
}

export const DARK_SCHEME: Scheme = {
  body: DARK[7],
  text: DARK[0],
  dimmed: DARK[2],
  side: DARK[8],
  panel: '#161d23',
  line: DARK[5],
  hover: DARK[6],
  code: DARK[6],
  ok: '#4ade80',
  warn: '#f0b45b',
  danger: '#ff9b91',
  accent: SEA[3],
  'accent-fill': '#12272d',
}

/** The mark: one rope with a loop that crosses itself, forming a “b”. On a square of 32 with corners of 7. */
export const MARK = {
  ground: SEA[7],
  rope: '#fff',
  width: 2.8,
  stem: 'M11.5 4.5V20',
  /** Cuts the rope that goes below, in the colour of the ground. */
  gap: 'M15 14.5H8',
  gapWidth: 5.8,
  loop: 'M11.5 19.5c0 4.5 3 8 7 8s7-2.9 7-6.5-3-6.5-7-6.5H6.8',
}

/** @returns the mark as a file */
export function markSvg(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="${MARK.ground}"/>
  <g fill="none" stroke="${MARK.rope}" stroke-width="${MARK.width}" stroke-linecap="round">
    <path d="${MARK.stem}"/>
    <path d="${MARK.gap}" stroke="${MARK.ground}" stroke-width="${MARK.gapWidth}" stroke-linecap="butt"/>
    <path d="${MARK.loop}"/>
  </g>
</svg>
`
}

/** @returns custom properties of both schemes, `--brand-…`, for `:root` and a root with `data-theme="dark"` */
export function brandCss(): string {
  const shades = Object.entries({ sea: SEA, gray: GRAY, dark: DARK }).flatMap(([name, colours]) =>
    colours.map((colour, shade) => `--brand-${name}-${shade}: ${colour};`),
  )
  const shared = [
    ...shades,
    `--brand-font: ${FONT};`,
    `--brand-mono: ${MONOSPACE_FONT};`,
    `--brand-radius: ${RADIUS}px;`,
  ]
  const block = (selector: string, lines: readonly string[]): string =>
    `${selector} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
  return (
    block(':root', [...shared, ...properties(LIGHT_SCHEME)]) + block("html[data-theme='dark']", properties(DARK_SCHEME))
  )
}

const properties = (scheme: Scheme): string[] =>
  Object.entries(scheme).map(([name, colour]) => `--brand-${name}: ${String(colour)};`)
