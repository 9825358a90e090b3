// The tunnels of a device: create, open, share, watch, change and remove them.
import { NEVER } from '@bowline/contract/schemas/common'
import { tunnels as operations } from '@bowline/contract/operations/tunnels'
import type { Device } from '@bowline/contract/schemas/device'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { useQuery } from '@tanstack/react-query'
import { ExternalLink, List, Pencil, QrCode as QrIcon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Text } from '../../ui/kit.ts'
import { ListCard } from '../../ui/page/list-card.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { QrCode } from '../../ui/text/qr-code.tsx'
import { tunnelsMessages as texts } from './messages.ts'
import { targetOf, tunnelKeys, tunnelsQuery } from './queries.ts'
import { StableNames } from './stable-names.tsx'
import { TunnelDialog } from './tunnel-dialog.tsx'
import { TunnelRequests } from './tunnel-requests.tsx'
import classes from './tunnels.module.css'
import rows from '../../ui/page/card-rows.module.css'
import { formatMoment } from '../../ui/text/numbers.ts'

/** Dialog that is open for a tunnel. */
type Shown = 'code' | 'requests' | 'removal'

export function TunnelsCard({ device }: { readonly device: Device }) {
  const { api } = useRuntime()
  const may = useMay('tunnelCreate', device)
  const query = useQuery(tunnelsQuery(api, device.uid))
  const [edited, setEdited] = useState<Tunnel | 'new'>()
  const [shown, setShown] = useState<{ readonly what: Shown; readonly tunnel: Tunnel }>()
  const close = (): void => setShown(undefined)
  const remove = useAction({
    call: ({ address }: Tunnel) => api.call(operations.remove, { params: { uid: device.uid, address } }),
    done: (tunnel) => texts.removed(targetOf(tunnel)),
    failed: texts.removeFailed,
    invalidates: [tunnelKeys.lists],
  })
  const target = shown ? targetOf(shown.tunnel) : ''
  return (
    <ListCard
      id="tunnels"
      query={query}
      texts={texts}
      may={may}
      onCreate={() => setEdited('new')}
      renderRow={(tunnel) => (
        <TunnelRow
          key={tunnel.address}
          tunnel={tunnel}
          may={may}
          onEdit={() => setEdited(tunnel)}
          onShow={(what) => setShown({ what, tunnel })}
        />
      )}
    >
      <StableNames device={device} may={may} />
      <TunnelDialog device={device} edited={edited} onClose={() => setEdited(undefined)} />
      <Dialog opened={shown?.what === 'code'} onClose={close} title={texts.codeTitle(target)}>
        {shown ? (
          <div className={classes['code']}>
            <QrCode text={shown.tunnel.url} label={texts.codeTitle(target)} size={256} />
            <Text size="xs" c="dimmed">
              {shown.tunnel.url}
            </Text>
          </div>
        ) : null}
      </Dialog>
      <Dialog opened={shown?.what === 'requests'} onClose={close} title={texts.requestsTitle(target)} size="lg">
        {shown ? <TunnelRequests tunnel={shown.tunnel} /> : null}
      </Dialog>
      <Confirm
        opened={shown?.what === 'removal'}
        title={texts.removeTitle(target)}
        action={texts.remove}
        onClose={close}
        onConfirm={() => shown && void remove.run(shown.tunnel)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </ListCard>
  )
}

/** Address for clients: those of TCP take no scheme, only a name and a port. */
function addressOf({ url, full_address, protocol }: Tunnel): string {
  return protocol === 'tcp' ? url.replace('tls://', '') || full_address : url || full_address
}

interface TunnelRowProps {
  readonly tunnel: Tunnel
  readonly may: boolean
  readonly onEdit: () => void
  readonly onShow: (what: Shown) => void
}

function TunnelRow({ tunnel, may, onEdit, onShow }: TunnelRowProps) {
  const target = targetOf(tunnel)
  const gate = { may, why: texts.roleTooLow }
  return (
    <li className={rows['row']}>
      <div className={rows['facts']}>
        {tunnel.url === '' || tunnel.protocol === 'tcp' ? (
          <Text size="sm">{target}</Text>
        ) : (
          <a href={tunnel.url} target="_blank" rel="noreferrer" aria-label={texts.open(target)}>
            {target} <ExternalLink size={12} aria-hidden />
          </a>
        )}
        <Text size="xs" c="dimmed" component="div">
          {tunnel.url === '' ? `${tunnel.protocol === 'tcp' ? texts.noPort : texts.noDomain} ` : null}
          {tunnel.name === '' ? null : `${tunnel.name} · `}
          {tunnel.protocol === 'tcp' ? texts.protocols.tcp : texts.doors[tunnel.door]} ·{' '}
          {tunnel.expires_in === NEVER ? texts.endsNever : texts.ends(formatMoment(tunnel.expires_in))}
        </Text>
      </div>
      <div className={rows['actions']}>
        <CopyButton text={addressOf(tunnel)} what={texts.address} />
        {tunnel.protocol === 'tcp' ? null : (
          <IconButton
            data-tip={texts.showCode(target)}
            aria-label={texts.showCode(target)}
            onClick={() => onShow('code')}
          >
            <QrIcon size={15} aria-hidden />
          </IconButton>
        )}
        <GatedAction
          {...gate}
          label={texts.showRequests(target)}
          hint={texts.showRequests(target)}
          onClick={() => onShow('requests')}
        >
          <List size={15} aria-hidden />
        </GatedAction>
        <GatedAction {...gate} label={texts.change(target)} hint={texts.change(target)} onClick={onEdit}>
          <Pencil size={15} aria-hidden />
        </GatedAction>
        <GatedAction
          {...gate}
          label={texts.removeNamed(target)}
          hint={texts.removeNamed(target)}
          onClick={() => onShow('removal')}
        >
          <Trash2 size={15} aria-hidden />
        </GatedAction>
      </div>
    </li>
  )
}
