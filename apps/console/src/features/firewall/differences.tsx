// List of the changed fields of a rule, each with its old and new value.
import type { Change } from './history.ts'
import classes from './firewall.module.css'

export function Differences({ list }: { readonly list: readonly Change[] }) {
  return (
    <dl className={classes['changes']}>
      {list.map(({ label, before, after }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {before === '' ? null : <del>{before}</del>} {after === '' ? null : <ins>{after}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
