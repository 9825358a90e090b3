// The namespace that everything on screen belongs to, and its tenant id to copy.
import { useQuery } from '@tanstack/react-query'
import { namespaceQuery } from '../features/namespaces/queries.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { usePerson, useRuntime } from './context.tsx'
import { appMessages as texts } from './messages.ts'
import classes from './namespace-card.module.css'

export function NamespaceCard() {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const { data: namespace, isError } = useQuery({ ...namespaceQuery(api, tenant), enabled: tenant !== '' })
  if (tenant === '') return null
  return (
    <section aria-label={texts.namespace} className={classes['card']}>
      <div className={classes['text']}>
        <div className={classes['name']}>{namespace?.name ?? (isError ? texts.namespaceUnknown : '\u00a0')}</div>
        <div className={classes['tenant']} title={`${texts.tenantId}: ${tenant}`}>
          {tenant}
        </div>
      </div>
      <CopyButton text={tenant} what={texts.tenantIdCopy} />
    </section>
  )
}
