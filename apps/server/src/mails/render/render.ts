// From the values of a mail to what is sent.
import type { MailKind, MailValues } from '../kinds.ts'
import { MAIL_KINDS, NOTICE_EVENTS, draftOf } from './drafts.ts'
import { type Letter, renderDraft } from './letter.ts'
import { type Overrides, fillOverride } from './overrides.ts'
import { sampleValues } from './samples.ts'

export interface Preview extends Letter {
  readonly kind: MailKind
  /** Event of a notice; '' for other kinds. */
  readonly event: string
  /** The text comes from a file of the operator. */
  readonly isOwn: boolean
}

export interface Renderer {
  render<K extends MailKind>(kind: K, values: MailValues[K]): Letter
  /** Every mail with example values. */
  previews(): Preview[]
}

/** @param origin of the console, known once the server listens */
export function createRenderer(overrides: Overrides, origin: () => string): Renderer {
  function render<K extends MailKind>(kind: K, values: MailValues[K]): Letter {
    const { host } = new URL(origin())
    const override = overrides.get(kind)
    return override ? fillOverride(override, values, host) : renderDraft(draftOf(kind, values), host)
  }
  function preview<K extends MailKind>(kind: K, values: MailValues[K], event = ''): Preview {
    return { kind, event, isOwn: overrides.has(kind), ...render(kind, values) }
  }
  return {
    render,
    previews() {
      const samples = sampleValues(origin())
      return MAIL_KINDS.flatMap((kind) =>
        kind === 'notice'
          ? NOTICE_EVENTS.map((event) => preview(kind, { ...samples.notice, event }, event))
          : [preview(kind, samples[kind])],
      )
    },
  }
}
