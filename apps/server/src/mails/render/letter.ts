// The one layout of all mails. Text and HTML are made from the same parts, so that both say the same.
import { escapeHtml } from './words.ts'

/** Subject and parts of a mail, rendered. */
export interface Letter {
  /** One line. */
  readonly subject: string
  readonly text: string
  /** undefined: the mail has a text part only. */
  readonly html: string | undefined
}

/** Content of a mail. All texts are safe: people's own words in them are defused. */
export interface Draft {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** Names and values, such as time and address of an event; empty values are left out. */
  readonly facts?: readonly (readonly [string, string])[]
  /** A code to type. */
  readonly code?: string
  /** The only link. The host is shown with it. */
  readonly link: { readonly label: string; readonly href: string }
  /** Paragraphs after the link. */
  readonly closing: readonly string[]
}

const MAX_SUBJECT = 150

/** Cuts a subject to one line. */
export function subjectLine(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SUBJECT)
}

/** @param host of the console, named at the end of each mail */
export function renderDraft(draft: Draft, host: string): Letter {
  const facts = (draft.facts ?? []).filter(([, value]) => value !== '')
  const label = `${draft.link.label} at ${linkHost(draft.link.href)}`
  const ending = `Sent by Bowline at ${host}. Replies to this address are not monitored.`
  return {
    subject: subjectLine(draft.subject),
    text: `${[
      ...draft.paragraphs,
      ...(facts.length ? [facts.map(([name, value]) => `${name}: ${value}`).join('\n')] : []),
      ...(draft.code === undefined ? [] : [draft.code]),
      `${label}:\n${draft.link.href}`,
      ...draft.closing,
      `-- \n${ending}`,
    ].join('\n\n')}\n`,
    html: page(
      draft.subject,
      [
        ...draft.paragraphs.map((text) => paragraph(text)),
        ...(facts.length
          ? [`<p>${facts.map(([name, value]) => `${escapeHtml(name)}: ${escapeHtml(value)}`).join('<br>\n')}</p>`]
          : []),
        ...(draft.code === undefined ? [] : [`<p class="code">${escapeHtml(draft.code)}</p>`]),
        `<p><a href="${escapeHtml(draft.link.href)}">${escapeHtml(label)}</a></p>`,
        ...draft.closing.map((text) => paragraph(text)),
        `<p class="end">${escapeHtml(ending)}</p>`,
      ].join('\n'),
    ),
  }
}

/** Host of a link as people see it; '' for text that is no address. */
export function linkHost(href: string): string {
  return URL.canParse(href) ? new URL(href).host : ''
}

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`

/** Nothing in it is loaded from elsewhere, and it reads well in dark and light. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subjectLine(title))}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 0 auto; padding: 1.5em; color: #1f2328; background: #fff }
a { color: #0b57d0; font-weight: 600; overflow-wrap: anywhere }
p { overflow-wrap: anywhere }
.code { font: 700 24px/1.5 ui-monospace, monospace; letter-spacing: .1em }
.end { border-top: 1px solid #d0d7de; padding-top: 1em; font-size: 14px; color: #57606a }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117 }
  a { color: #8ab4f8 }
  .end { border-color: #30363d; color: #9da7b1 }
}
</style>
</head>
<body>
${body}
</body>
</html>
`
}
