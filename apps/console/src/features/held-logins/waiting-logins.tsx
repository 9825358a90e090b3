// Note above every page while SSH logins wait for the person.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { heldLoginMessages as texts, whoOf } from './messages.ts'
import { heldLoginsQuery } from './queries.ts'
import classes from './waiting-logins.module.css'

export function WaitingLogins() {
  const { api } = useRuntime()
  const { data: waiting = [] } = useQuery(heldLoginsQuery(api))
  if (waiting.length === 0) return null
  return (
    <div className={classes['note']}>
      <Callout tone="warn" title={texts.waiting(waiting.length)} urgent>
        <ul className={classes['list']}>
          {waiting.map((login) => (
            <li key={login.code}>
              <Link to="/approve/$code" params={{ code: login.code }}>
                {texts.open(whoOf(login), login.source, login.code)}
              </Link>
            </li>
          ))}
        </ul>
      </Callout>
    </div>
  )
}
