// What items of the palette do inside of it.
import type { Device } from '@bowline/contract/schemas/device'
import type { Session } from '@bowline/contract/schemas/session'
import type { Step } from './use-step-items.ts'

/** What a dialog in place of the palette asks. */
export type Question =
  | { readonly what: 'remove' | 'replace' | 'run'; readonly device: Device }
  | { readonly what: 'end'; readonly session: Session }

export interface PaletteControls {
  /** Opens the further actions on a device. */
  readonly onMore: (device: Device) => void
  /** Opens a step that asks for more. */
  readonly onStep: (device: Device, step: Step) => void
  readonly onAsk: (question: Question) => void
  /** Opens the list of keyboard shortcuts. */
  readonly onShortcuts: () => void
  /** Types these words. */
  readonly onWords: (words: string) => void
  /** Lists all pages. */
  readonly onPages: () => void
}
