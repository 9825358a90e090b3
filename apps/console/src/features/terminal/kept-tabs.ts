// How the terminals stand, kept for a reload of the page: layout and devices. Nothing of who signs in, or with what,
// nor of what was on the screens, leaves the memory of the page.
import { Device } from '@bowline/contract/schemas/device'
import { z } from 'zod'
import type { Layout, SplitLayout } from './pane/layout.ts'
import type { PaneDevice } from './pane/pane.ts'

const KEY = 'bowline.terminal-tabs'
/** More are no person's. */
const MOST_TABS = 64

interface KeptPane {
  readonly kind: 'pane'
  readonly device: PaneDevice
  /** Has the keyboard in its tab. */
  readonly isFocused: boolean
}

interface KeptSplit extends Pick<SplitLayout, 'kind' | 'direction' | 'share'> {
  readonly first: KeptLayout
  readonly second: KeptLayout
}

export type KeptLayout = KeptPane | KeptSplit

const KeptLayout: z.ZodType<KeptLayout> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('pane'),
      device: Device.pick({ uid: true, name: true, namespace: true }),
      isFocused: z.boolean(),
    }),
    z.object({
      kind: z.literal('split'),
      direction: z.enum(['row', 'column']),
      share: z.number().min(0).max(1),
      first: KeptLayout,
      second: KeptLayout,
    }),
  ]),
)

const KeptTabs = z.object({
  /** Whose terminals they are. */
  owner: z.string(),
  /** Index of the tab that is shown. */
  active: z.int(),
  tabs: z.array(KeptLayout).max(MOST_TABS),
})
export type KeptTabs = z.infer<typeof KeptTabs>

export function keepTabs(kept: KeptTabs): void {
  try {
    if (kept.tabs.length === 0) sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // Storage is switched off: a reload begins anew.
  }
}

/** @returns undefined when nothing of this owner is kept */
export function readTabs(owner: string): KeptTabs | undefined {
  try {
    const { data } = KeptTabs.safeParse(JSON.parse(sessionStorage.getItem(KEY) ?? 'null'))
    return data?.owner === owner ? data : undefined
  } catch {
    return undefined
  }
}

/** @returns undefined when a pane has no device (any more) */
export function toKept(
  layout: Layout,
  focused: string,
  deviceOf: (pane: string) => PaneDevice | undefined,
): KeptLayout | undefined {
  if (layout.kind === 'pane') {
    const device = deviceOf(layout.id)
    if (!device) return undefined
    const { uid, name, namespace } = device
    return { kind: 'pane', device: { uid, name, namespace }, isFocused: layout.id === focused }
  }
  const first = toKept(layout.first, focused, deviceOf)
  const second = toKept(layout.second, focused, deviceOf)
  const { kind, direction, share } = layout
  return first && second && { kind, direction, share, first, second }
}

/** @param add makes a pane and gives its id */
export function fromKept(kept: KeptLayout, add: (pane: KeptPane) => string): Layout {
  if (kept.kind === 'pane') return { kind: 'pane', id: add(kept) }
  const first = fromKept(kept.first, add)
  const second = fromKept(kept.second, add)
  const { kind, direction, share } = kept
  return { kind, id: splitId(second), direction, share, first, second }
}

/** As a split is named when it is made: by the pane that was added. */
function splitId(second: Layout): string {
  return second.kind === 'pane' ? `split ${second.id}` : splitId(second.first)
}
