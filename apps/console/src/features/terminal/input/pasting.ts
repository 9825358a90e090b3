// Pastes of one terminal: at once when they are harmless, otherwise after the person has read them.
import { type Store, createStore } from '../../../platform/store.ts'
import { type PasteChoice, type PasteRisk, riskOf, withoutBrackets } from './judge-paste.ts'

export interface PasteQuestion {
  readonly text: string
  readonly risk: PasteRisk
}

export interface Pasting {
  /** The paste that waits for an answer. */
  readonly question: Store<PasteQuestion | undefined>
  /** Pastes, or asks first. */
  paste(text: string): void
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
  /** Sends a text to the terminal, in brackets when the program asked for them. */
  readonly insert: (text: string) => void
}

export function createPasting({ choice, isBracketed, accepted, insert }: PastingParts): Pasting {
  const question = createStore<PasteQuestion | undefined>(undefined)
  const put = (text: string) => insert(isBracketed() ? withoutBrackets(text) : text)
  return {
    question,
    paste(text) {
      if (text === '') return
      const risk = riskOf(text, choice(), isBracketed())
      if (risk === undefined || accepted().has(risk)) put(text)
      else question.set({ text, risk })
    },
    confirm(text, remember) {
      const asked = question.get()
      question.set(undefined)
      if (asked && remember) accepted().add(asked.risk)
      put(text)
    },
    cancel: () => question.set(undefined),
  }
}
