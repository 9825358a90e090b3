// What has become of everything that was to be imported.
import { type Format, type Terminal, show, table } from '../terminal.ts'

/** `waits`: it is here, and a person has to decide. `refused`: it could not come. */
export const OUTCOMES = ['created', 'changed', 'unchanged', 'waits', 'refused'] as const
export type LineOutcome = (typeof OUTCOMES)[number]

/** One thing that was to be imported. */
export interface Line {
  /** `device`, `public key`, … */
  readonly what: string
  readonly name: string
  readonly outcome: LineOutcome
  /** What to know about it; null: nothing. */
  readonly reason: string | null
  /** Of an invitation: whoever has it can accept. */
  readonly link?: string
}

export interface Report {
  readonly namespace: { readonly name: string; readonly tenant_id: string }
  readonly dry_run: boolean
  readonly lines: readonly Line[]
}

/** Lines that the table shows; `--json` has all. */
const SHOWN = 200

/** Prints the counts of an import into a namespace, and what there is to know. */
export function showReport(terminal: Terminal, format: Format, report: Report): void {
  const { name, tenant_id: tenant } = report.namespace
  showLines(terminal, format, report, `${report.dry_run ? 'Would import' : 'Imported'} into ${name} (${tenant}).`)
}

/** Prints the counts, and what there is to know. @param heading what they are about */
export function showLines(
  terminal: Terminal,
  format: Format,
  report: Pick<Report, 'dry_run' | 'lines'>,
  heading: string,
): void {
  const { lines } = report
  const kinds = [...new Set(lines.map(({ what }) => what))]
  const counts = kinds.map((what) => {
    const of = (outcome: LineOutcome): number =>
      lines.filter((line) => line.what === what && line.outcome === outcome).length
    return [what, ...OUTCOMES.map((outcome) => String(of(outcome)))]
  })
  const told = lines.filter(({ reason, link }) => reason !== null || link !== undefined)
  const rows = told.slice(0, SHOWN).map(({ what, name, outcome, reason, link }) => {
    return [what, name, outcome, [reason, link].filter((part) => part !== null && part !== undefined).join(' ')]
  })
  show(terminal, format, report, [
    heading,
    ...table(['WHAT', ...OUTCOMES.map((outcome) => outcome.toUpperCase())], counts),
    ...(rows.length > 0 ? ['', ...table(['WHAT', 'NAME', 'OUTCOME', ''], rows)] : []),
    ...(told.length > SHOWN ? [`… and ${told.length - SHOWN} more, which --json prints.`] : []),
  ])
}
