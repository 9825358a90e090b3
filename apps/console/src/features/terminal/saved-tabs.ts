// Persists the terminals across a page reload: layout and devices. Sessions with their screens are stored only while the
// page is away, and never credentials.
import { Device } from '@bowline/contract/schemas/device'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import { z } from 'zod'
import type { Layout, SplitLayout } from './layout/layout.ts'
import { MAX_TITLE } from './signals/signals.ts'
import { TABS_KEY } from './suspended.ts'
import type { PaneDevice } from './pane/pane-session.ts'
import type { KeptSession } from './pane/pane.ts'

/** More cannot come from a person. */
const MAX_TABS = 64
/** Characters of a name that a person gives to a tab. */
export const MAX_TAB_NAME = 60

interface SavedPane {
  readonly kind: 'pane'
  readonly device: PaneDevice
  /** The focused pane of the tab. */
  readonly isFocused: boolean
  readonly session?: KeptSession | undefined
}

interface SavedSplit extends Pick<SplitLayout, 'kind' | 'direction' | 'share'> {
  readonly first: SavedLayout
  readonly second: SavedLayout
}

export type SavedLayout = SavedPane | SavedSplit

const Session: z.ZodType<KeptSession> = z.object({
  username: z.string(),
  title: z.string().max(MAX_TITLE * 16),
  suspended: z.object({
    session: z.string(),
    token: z.string(),
    // Consoles of earlier versions stored none.
    seconds: z.int().positive().default(TERMINAL.resumeSeconds),
    shown: z.int(),
    input: z.object({ offset: z.int(), bytes: z.string().transform(textAsBytes) }),
    joined: z.literal(true).optional(),
  }),
  snapshot: z.object({ output: z.string(), columns: z.int().positive(), rows: z.int().positive() }),
})

const SavedLayout: z.ZodType<SavedLayout> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('pane'),
      device: Device.pick({ uid: true, name: true, namespace: true }),
      isFocused: z.boolean(),
      session: Session.optional().catch(undefined),
    }),
    z.object({
      kind: z.literal('split'),
      direction: z.enum(['row', 'column']),
      share: z.number().min(0).max(1),
      first: SavedLayout,
      second: SavedLayout,
    }),
  ]),
)

const SavedTabs = z.object({
  /** The owner of the terminals. */
  owner: z.string(),
  /** Index of the active tab. */
  active: z.int(),
  /** When the page suspended the sessions, in milliseconds since 1970. */
  suspendedAt: z.number().optional(),
  tabs: z.array(z.object({ name: z.string().max(MAX_TAB_NAME).optional(), layout: SavedLayout })).max(MAX_TABS),
})
export type SavedTabs = z.infer<typeof SavedTabs>
export type SavedTab = SavedTabs['tabs'][number]

/** @returns false when the storage is disabled or full: a reload starts with what was stored before */
export function saveTabs(saved: SavedTabs): boolean {
  try {
    if (saved.tabs.length === 0) sessionStorage.removeItem(TABS_KEY)
    else sessionStorage.setItem(TABS_KEY, tabsAsText(saved))
    return true
  } catch {
    return false
  }
}

/** What {@link tabsOf} reads. */
export function tabsAsText(saved: SavedTabs): string {
  return JSON.stringify(saved, (_, value) => bytesAsText(value))
}

/** @returns undefined for a text that is not of this owner's tabs */
export function tabsOf(text: string | null, owner: string): SavedTabs | undefined {
  const { data } = SavedTabs.safeParse(JSON.parse(text ?? 'null'))
  return data?.owner === owner ? data : undefined
}

/** Bytes as the characters of the same numbers. */
function bytesAsText(value: unknown): unknown {
  return value instanceof Uint8Array ? Array.from(value, (byte) => String.fromCodePoint(byte)).join('') : value
}

function textAsBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

/** @returns undefined when nothing is stored for this owner; what another one has left is removed */
export function readTabs(owner: string): SavedTabs | undefined {
  try {
    const tabs = tabsOf(sessionStorage.getItem(TABS_KEY), owner)
    if (tabs) return tabs
    sessionStorage.removeItem(TABS_KEY)
    return undefined
  } catch {
    return undefined
  }
}

/**
 * @param sessionOf the session to store with a pane, while the page is away
 * @returns undefined when a pane has no device (any more)
 */
export function toSaved(
  layout: Layout,
  focused: string,
  deviceOf: (pane: string) => PaneDevice | undefined,
  sessionOf: (pane: string) => KeptSession | undefined = () => undefined,
): SavedLayout | undefined {
  if (layout.kind === 'pane') {
    const device = deviceOf(layout.id)
    if (!device) return undefined
    const { uid, name, namespace } = device
    const session = sessionOf(layout.id)
    return { kind: 'pane', device: { uid, name, namespace }, isFocused: layout.id === focused, session }
  }
  const first = toSaved(layout.first, focused, deviceOf, sessionOf)
  const second = toSaved(layout.second, focused, deviceOf, sessionOf)
  const { kind, direction, share } = layout
  return first && second && { kind, direction, share, first, second }
}

/** @param add creates a pane and returns its id */
export function fromSaved(saved: SavedLayout, add: (pane: SavedPane) => string): Layout {
  if (saved.kind === 'pane') return { kind: 'pane', id: add(saved) }
  const first = fromSaved(saved.first, add)
  const second = fromSaved(saved.second, add)
  const { kind, direction, share } = saved
  return { kind, id: splitId(second), direction, share, first, second }
}

/** Named like a new split: after the pane that was added. */
function splitId(second: Layout): string {
  return second.kind === 'pane' ? `split ${second.id}` : splitId(second.first)
}
