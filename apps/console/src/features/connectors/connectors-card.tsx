// The connectors of the namespace: their state and last error; add, change, switch and remove them.
import { connectors as operations } from '@bowline/contract/operations/connectors'
import type { Connector } from '@bowline/contract/schemas/connector'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Text } from '../../ui/kit.ts'
import { ListCard } from '../../ui/page/list-card.tsx'
import { StatusDot } from '../../ui/text/status-dot.tsx'
import { ConnectorDialog } from './connector-dialog.tsx'
import { connectorsMessages as texts } from './messages.ts'
import { connectorKeys, connectorsQuery, engineOf } from './queries.ts'
import classes from '../../ui/page/card-rows.module.css'

export function ConnectorsCard() {
  const { api } = useRuntime()
  const may = useMay('connectorSet')
  const query = useQuery(connectorsQuery(api))
  const [edited, setEdited] = useState<Connector | 'new'>()
  const [removing, setRemoving] = useState<Connector>()
  const invalidates = [connectorKeys.list]
  const toggle = useAction({
    call: ({ uid, enable }: Connector) => api.call(operations.update, { params: { uid }, body: { enable: !enable } }),
    done: (one) => (one.enable ? texts.switchedOff(engineOf(one)) : texts.switchedOn(engineOf(one))),
    failed: texts.changeFailed,
    invalidates,
  })
  const remove = useAction({
    call: ({ uid }: Connector) => api.call(operations.remove, { params: { uid } }),
    done: (one) => texts.removed(engineOf(one)),
    failed: texts.removeFailed,
    invalidates,
  })
  return (
    <ListCard
      query={query}
      texts={texts}
      may={may}
      onCreate={() => setEdited('new')}
      renderRow={(connector) => (
        <ConnectorRow
          key={connector.uid}
          connector={connector}
          may={may}
          onEdit={() => setEdited(connector)}
          onToggle={() => void toggle.run(connector)}
          onRemove={() => setRemoving(connector)}
        />
      )}
    >
      <ConnectorDialog edited={edited} onClose={() => setEdited(undefined)} />
      <Confirm
        opened={removing !== undefined}
        title={removing ? texts.removeTitle(engineOf(removing)) : ''}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </ListCard>
  )
}

interface ConnectorRowProps {
  readonly connector: Connector
  readonly may: boolean
  readonly onEdit: () => void
  readonly onToggle: () => void
  readonly onRemove: () => void
}

function ConnectorRow({ connector, may, onEdit, onToggle, onRemove }: ConnectorRowProps) {
  const engine = engineOf(connector)
  const gate = { may, why: texts.roleTooLow }
  const power = connector.enable ? texts.switchOff(engine) : texts.switchOn(engine)
  return (
    <li className={classes['row']}>
      <div className={classes['facts']}>
        <Text size="sm">{engine}</Text>
        {connector.enable && connector.status.state !== 'connected' ? (
          <Text size="xs" c="var(--mantine-color-error)" component="div">
            {stateOf(connector)}
          </Text>
        ) : (
          <StatusDot on={connector.enable} label={stateOf(connector)} text />
        )}
      </div>
      <div className={classes['actions']}>
        <GatedAction {...gate} label={power} hint={power} onClick={onToggle}>
          <Power size={15} aria-hidden />
        </GatedAction>
        <GatedAction {...gate} label={texts.change(engine)} hint={texts.change(engine)} onClick={onEdit}>
          <Pencil size={15} aria-hidden />
        </GatedAction>
        <GatedAction {...gate} label={texts.removeNamed(engine)} hint={texts.removeNamed(engine)} onClick={onRemove}>
          <Trash2 size={15} aria-hidden />
        </GatedAction>
      </div>
    </li>
  )
}

/** The state and, where there is one, the last error. */
function stateOf({ enable, status }: Connector): string {
  if (!enable) return texts.states.off
  const state = status.state === 'connected' ? texts.states.connected : texts.states.disconnected
  return status.message === '' ? state : `${state}: ${status.message}`
}
