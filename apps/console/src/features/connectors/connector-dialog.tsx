// Dialog that adds a connector or changes one.
import { connectors as operations } from '@bowline/contract/operations/connectors'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { type Connector, EngineAddress, EnginePort } from '@bowline/contract/schemas/connector'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { DevicePicker } from '../../core/devices/device-picker.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { type ContractForm, useContractForm } from '../../ui/form/use-contract-form.ts'
import { NativeSelect, Text, TextInput, Textarea } from '../../ui/kit.ts'
import { connectorsMessages as texts } from './messages.ts'
import { connectorKeys, engineOf } from './queries.ts'

const Port = z.string().min(1).transform(Number).pipe(EnginePort)

const Fields = z
  .object({
    by: z.enum(['address', 'device']),
    device: z.string(),
    address: z.string(),
    port: z.string(),
    secure: z.enum(['yes', 'no']),
    ca: z.string(),
    cert: z.string(),
    key: z.string(),
  })
  .superRefine((fields, context) => {
    const needed = fields.by === 'device' ? { device: DeviceUid } : { address: EngineAddress, port: Port }
    for (const [name, schema] of Object.entries(needed)) {
      const value = fields[name as keyof typeof needed]
      for (const { message } of schema.safeParse(value).error?.issues ?? []) {
        context.addIssue({ code: 'custom', message, path: [name] })
      }
    }
  })

interface ConnectorDialogProps {
  /** undefined: closed. */
  readonly edited: Connector | 'new' | undefined
  readonly onClose: () => void
}

export function ConnectorDialog({ edited, onClose }: ConnectorDialogProps) {
  const title = edited === undefined || edited === 'new' ? texts.createTitle : texts.changeTitle(engineOf(edited))
  return (
    <Dialog opened={edited !== undefined} onClose={onClose} title={title}>
      {edited === undefined ? null : <Body connector={edited === 'new' ? undefined : edited} onDone={onClose} />}
    </Dialog>
  )
}

interface BodyProps {
  readonly connector: Connector | undefined
  readonly onDone: () => void
}

function Body({ connector, onDone }: BodyProps) {
  const { api } = useRuntime()
  const save = useAction({
    async call(fields: z.output<typeof Fields>) {
      const body = bodyOf(fields, connector)
      if (connector) await api.call(operations.update, { params: { uid: connector.uid }, body })
      else await api.call(operations.create, { body: { enable: true, ...body } })
    },
    done: (fields) => (connector ? texts.saved(engineNamed(fields)) : undefined),
    invalidates: [connectorKeys.list],
  })
  const form = useContractForm({
    schema: Fields,
    values: {
      by: connector?.device ? 'device' : 'address',
      device: connector?.device ?? '',
      address: connector?.address ?? '',
      port: connector && !connector.device ? String(connector.port) : '2376',
      // The safer one first.
      secure: connector && !connector.secure ? 'no' : 'yes',
      ca: '',
      cert: '',
      key: '',
    },
    labels: texts.labels,
    async send(fields) {
      await save.send(fields)
      onDone()
    },
  })
  const [by, device, secure] = form.form.watch(['by', 'device', 'secure'])
  const isSecure = secure === 'yes'
  return (
    <DialogForm
      form={form}
      failed={connector ? texts.changeFailed : texts.createFailed}
      submit={connector ? texts.save : texts.create}
      onCancel={onDone}
    >
      <NativeSelect
        {...form.field('by')}
        data-autofocus
        data={[
          { value: 'address', label: texts.ways.address },
          { value: 'device', label: texts.ways.device },
        ]}
      />
      {by === 'device' ? (
        <>
          <DevicePicker
            label={texts.labels.device}
            uid={device}
            error={form.errorOf('device')}
            onPick={(uid) => form.form.setValue('device', uid ?? '')}
          />
          <Text size="sm" c="dimmed">
            {texts.deviceHint}
          </Text>
          <Text size="sm">{texts.deviceWarning}</Text>
        </>
      ) : (
        <AddressFields form={form} isSecure={isSecure} keepsKey={Boolean(connector?.tls)} />
      )}
    </DialogForm>
  )
}

interface AddressFieldsProps {
  readonly form: ContractForm<z.input<typeof Fields>>
  readonly isSecure: boolean
  /** A key is stored already. */
  readonly keepsKey: boolean
}

function AddressFields({ form, isSecure, keepsKey }: AddressFieldsProps) {
  return (
    <>
      <TextInput {...form.field('address')} description={texts.addressHint} autoComplete="off" spellCheck={false} />
      <TextInput {...form.field('port')} description={texts.portHint} inputMode="numeric" autoComplete="off" />
      <NativeSelect
        {...form.field('secure')}
        data={[
          { value: 'yes', label: texts.yes },
          { value: 'no', label: texts.no },
        ]}
      />
      {isSecure ? (
        <>
          {keepsKey ? (
            <Text size="sm" c="dimmed">
              {texts.keyKept}
            </Text>
          ) : null}
          {(['ca', 'cert', 'key'] as const).map((name) => (
            <Textarea
              key={name}
              {...form.field(name)}
              description={texts.pemHint}
              rows={3}
              autoComplete="off"
              spellCheck={false}
            />
          ))}
        </>
      ) : (
        <Text size="sm">{texts.plainWarning}</Text>
      )}
    </>
  )
}

function bodyOf({ by, device, address, port, secure, ca, cert, key }: z.output<typeof Fields>, connector?: Connector) {
  if (by === 'device') return { device: DeviceUid.parse(device) }
  const isTyped = ca !== '' || cert !== '' || key !== ''
  // Kept where nothing was typed.
  const isKept = !isTyped && connector?.device === null
  const tls = secure === 'no' ? { tls: null } : isKept ? {} : { tls: { ca, cert, key } }
  return { device: null, address, port: Number(port), secure: secure === 'yes', ...tls }
}

function engineNamed({ by, address, port }: z.output<typeof Fields>): string {
  return by === 'device' ? texts.throughDevice : engineOf({ address, port: Number(port), device_name: null })
}
