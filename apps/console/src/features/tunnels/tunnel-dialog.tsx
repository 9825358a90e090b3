// Dialog that creates a tunnel or changes who may enter it.
import { tunnels as operations } from '@bowline/contract/operations/tunnels'
import type { Device } from '@bowline/contract/schemas/device'
import { type Tunnel, TunnelBody, TunnelDoor, TunnelProtocol, TunnelTls } from '@bowline/contract/schemas/tunnel'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { NativeSelect, TextInput } from '../../ui/kit.ts'
import { tunnelsMessages as texts } from './messages.ts'
import { targetOf, tunnelKeys } from './queries.ts'

const Fields = z.object({
  host: TunnelBody.shape.host,
  port: z.string().transform(Number).pipe(TunnelBody.shape.port),
  protocol: TunnelProtocol,
  door: TunnelDoor,
  password: z.string(),
  /** Seconds, as select options. */
  ttl: z.string().transform(Number).pipe(TunnelBody.shape.ttl),
  tls: TunnelTls,
  host_header: z.string(),
})

interface TunnelDialogProps {
  readonly device: Device
  /** undefined: closed. */
  readonly edited: Tunnel | 'new' | undefined
  readonly onClose: () => void
}

export function TunnelDialog({ device, edited, onClose }: TunnelDialogProps) {
  return (
    <Dialog
      opened={edited !== undefined}
      onClose={onClose}
      title={edited === 'new' ? texts.createTitle(device.name) : texts.changeTitle}
    >
      {edited === undefined ? null : (
        <Body device={device} tunnel={edited === 'new' ? undefined : edited} onDone={onClose} />
      )}
    </Dialog>
  )
}

interface BodyProps {
  readonly device: Device
  readonly tunnel: Tunnel | undefined
  readonly onDone: () => void
}

function Body({ device, tunnel, onDone }: BodyProps) {
  const { api } = useRuntime()
  const save = useAction({
    async call({ host, port, ...fields }: z.output<typeof Fields>) {
      const body = optionsFrom(fields)
      const { uid } = device
      if (tunnel) await api.call(operations.update, { params: { uid, address: tunnel.address }, body })
      else await api.call(operations.create, { params: { uid }, body: { host, port, ...body } })
    },
    done: (fields) => (tunnel ? texts.saved(targetOf(fields)) : undefined),
    invalidates: [tunnelKeys.lists],
  })
  const ttl = String(tunnel?.ttl ?? 28_800)
  const form = useContractForm({
    schema: Fields,
    values: {
      host: tunnel?.host ?? '127.0.0.1',
      port: tunnel ? String(tunnel.port) : '',
      protocol: tunnel?.protocol ?? 'http',
      // The safest one first.
      door: tunnel?.door ?? 'namespace',
      password: '',
      ttl,
      tls: tunnel?.tls ?? 'none',
      host_header: tunnel?.host_header ?? '',
    },
    labels: texts.labels,
    async send(fields) {
      await save.send(fields)
      onDone()
    },
  })
  const door = form.form.watch('door')
  const isTcp = form.form.watch('protocol') === 'tcp'
  const ttls = Object.entries(texts.ttls).map(([value, label]) => ({ value, label }))
  const isKnown = ttls.some(({ value }) => value === ttl)
  return (
    <DialogForm
      form={form}
      failed={tunnel ? texts.changeFailed : texts.createFailed}
      submit={tunnel ? texts.save : texts.create}
      onCancel={onDone}
    >
      {tunnel ? null : (
        <>
          <TextInput {...form.field('port')} data-autofocus inputMode="numeric" autoComplete="off" />
          <TextInput {...form.field('host')} description={texts.hostHint} autoComplete="off" spellCheck={false} />
        </>
      )}
      <NativeSelect
        {...form.field('protocol')}
        {...(isTcp ? { description: texts.tcpHint } : {})}
        data={optionsOf(texts.protocols)}
      />
      {isTcp ? null : <NativeSelect {...form.field('door')} data={optionsOf(texts.doors)} />}
      {door === 'password' && !isTcp ? (
        <PasswordField
          {...form.field('password')}
          description={tunnel?.door === 'password' ? texts.passwordKept : texts.passwordHint}
          autoComplete="new-password"
        />
      ) : null}
      <NativeSelect {...form.field('ttl')} data={isKnown ? ttls : [...ttls, { value: ttl, label: `${ttl} s` }]} />
      {isTcp ? null : (
        <>
          <NativeSelect {...form.field('tls')} data={optionsOf(texts.tls)} />
          <TextInput {...form.field('host_header')} description={texts.hostHeaderHint} autoComplete="off" />
        </>
      )}
    </DialogForm>
  )
}

/** Body of the call: a TCP tunnel has neither door nor requests. */
function optionsFrom({ password, ...options }: Omit<z.output<typeof Fields>, 'host' | 'port'>) {
  const { protocol, ttl } = options
  if (protocol === 'tcp') return { protocol, ttl, door: 'none', tls: 'none', host_header: '', http2: false } as const
  return { ...options, ...(options.door === 'password' && password !== '' ? { password } : {}) }
}

function optionsOf(labels: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}
