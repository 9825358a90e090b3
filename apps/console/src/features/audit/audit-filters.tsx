// Filters of the audit log, stored in the URL.
import { X } from 'lucide-react'
import { OneOf } from '../../ui/controls/choice-menu.tsx'
import bar from '../../ui/controls/choice-menu.module.css'
import { DayRange } from '../../ui/controls/day-range.tsx'
import { Button } from '../../ui/kit.ts'
import { MemberFilter } from '../namespaces/member-filter.tsx'
import { AUDIT_NOUNS, auditMessages, nameOfAction } from './messages.ts'
import { type AuditSearch, isFiltered } from './search.ts'
import edges from '../../ui/page/edges.module.css'

const texts = auditMessages.filters

interface AuditFiltersProps {
  readonly search: AuditSearch
  /** Sets filters; the list goes back to its first page. */
  readonly onChoose: (change: Partial<AuditSearch>) => void
}

export function AuditFilters({ search, onChoose }: AuditFiltersProps) {
  return (
    <fieldset aria-label={texts.label} className={`${bar['bar']} ${edges['edges']}`}>
      <ActionFilter action={search.action} onChoose={(action) => onChoose({ action })} />
      <MemberFilter chosen={search.person} onChoose={(person) => onChoose({ person })} />
      <DayRange from={search.from} to={search.to} onChoose={onChoose} />
      {search.job === undefined ? null : (
        <Button
          size="compact-sm"
          variant="default"
          rightSection={<X size={13} aria-hidden />}
          aria-label={texts.notOneJob}
          onClick={() => onChoose({ job: undefined })}
        >
          {texts.oneJob}
        </Button>
      )}
      {isFiltered(search) ? (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<X size={13} aria-hidden />}
          onClick={() =>
            onChoose({
              q: undefined,
              job: undefined,
              action: undefined,
              person: undefined,
              from: undefined,
              to: undefined,
            })
          }
        >
          {texts.clear}
        </Button>
      ) : null}
    </fieldset>
  )
}

interface ActionFilterProps {
  readonly action: string | undefined
  readonly onChoose: (action: string | undefined) => void
}

/** Filter by noun, which stands for all of its actions. A single action is chosen in the list below. */
function ActionFilter({ action, onChoose }: ActionFilterProps) {
  const values = action === undefined || AUDIT_NOUNS.includes(action) ? AUDIT_NOUNS : [action, ...AUDIT_NOUNS]
  return (
    <OneOf
      label={texts.action}
      none={texts.anyAction}
      values={values}
      names={Object.fromEntries(values.map((value) => [value, nameOfAction(value)]))}
      chosen={action}
      onChoose={onChoose}
    />
  )
}
