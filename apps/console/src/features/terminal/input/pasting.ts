// Pastes of one terminal: at once when they are harmless, otherwise after the person has read them.
import { type Store, createStore } from '../../../platform/store.ts'
import { type PasteChoice, type PasteRisk, riskOf } from './judge-paste.ts'

export interface PasteQuestion {
  readonly text: string
  /** Press Enter behind it. */
  readonly enter: boolean
  readonly risk: PasteRisk
}

export interface Pasting {
  /** The paste that waits for an answer. */
  readonly question: Store<PasteQuestion | undefined>
  /**
   * Pastes, or asks first.
   * @param enter press Enter behind it
   */
  paste(text: string, enter?: boolean): void
  /**
   * Pastes a text that the person has seen.
   * @param remember do not ask about this risk again in this tab
   */
  confirm(text: string, remember: boolean): void
  cancel(): void
}

export interface PastingParts {
  readonly choice: () => PasteChoice
  readonly isBracketed: () => boolean
  /** Risks that the person accepts in this tab. */
  readonly accepted: () => Set<PasteRisk>
  /** Panes that the text would go to. */
  readonly countTargets: () => number
  /** Sends a text to the terminals, in brackets where the program asked for them. */
  readonly insert: (text: string, enter: boolean) => void
}

export function createPasting({ choice, isBracketed, accepted, countTargets, insert }: PastingParts): Pasting {
  const question = createStore<PasteQuestion | undefined>(undefined)
  return {
    question,
    paste(text, enter = false) {
      if (text === '') return
      const isBroadcast = countTargets() > 1
      const risk = riskOf(text, choice(), isBracketed()) ?? (isBroadcast ? 'broadcast' : undefined)
      if (risk === undefined || (!isBroadcast && accepted().has(risk))) insert(text, enter)
      else question.set({ text, enter, risk })
    },
    confirm(text, remember) {
      const asked = question.get()
      question.set(undefined)
      if (!asked) return
      if (remember) accepted().add(asked.risk)
      insert(text, asked.enter)
    },
    cancel: () => question.set(undefined),
  }
}
