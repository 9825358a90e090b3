// The install command, with a warning when other machines cannot reach this server.
import { useQuery } from '@tanstack/react-query'
import { usePerson, useRuntime } from '../../../core/context.tsx'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { CopyField } from '../../../ui/text/copy-field.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Skeleton } from '../../../ui/kit.ts'
import { infoQuery } from '../../instance/queries.ts'
import { installCommand } from './commands.ts'
import { devicesMessages as texts } from '../messages.ts'
import classes from '../devices.module.css'

export function InstallCommand() {
  const { api } = useRuntime()
  const info = useQuery(infoQuery(api))
  const tenant = usePerson()?.tenant ?? ''
  if (info.isError && !info.data) {
    return <ErrorPanel title={texts.commandFailed} error={info.error} onRetry={() => void info.refetch()} />
  }
  if (!info.data || tenant === '') return <Skeleton height={56} />
  return (
    <div className={classes['install']}>
      <CopyField text={installCommand(location.origin, tenant, info.data.pin)} what={texts.installCommand} focusFirst />
      {info.data.reachable ? null : (
        <Callout tone="warn" title={texts.localOnly}>
          {texts.localOnlyText} <code>BOWLINE_HOST=0.0.0.0</code>
        </Callout>
      )}
    </div>
  )
}
