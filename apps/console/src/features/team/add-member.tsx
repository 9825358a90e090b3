// Adds a member: at once, or by an invitation.
import { ApiError } from '@bowline/contract/client'
import { members as operations } from '@bowline/contract/operations/namespaces'
import { Email, TenantId } from '@bowline/contract/schemas/common'
import { RoleName } from '@bowline/contract/schemas/namespace'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { NativeSelect, Text, TextInput } from '../../ui/kit.ts'
import { infoQuery } from '../instance/queries.ts'
import type { MadeLink } from './invitations.tsx'
import { teamMessages as texts } from './messages.ts'
import { roleOptions } from './role-options.ts'

const NewMember = z.object({ email: Email, role: RoleName, way: z.enum(['direct', 'link']) })

interface AddMemberProps {
  readonly tenant: string
  /** `made`: a link to pass on. */
  readonly onDone: (made?: MadeLink) => void
}

export function AddMember({ tenant, onDone }: AddMemberProps) {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const { data: info } = useQuery(infoQuery(api))
  const own = usePerson()?.role ?? ''
  const direct = info?.edition === 'cloud' ? 'mail' : 'at_once'
  const isClosed = info?.registration === 'closed'
  const add = useAction({
    async call({ email, role, way }: z.output<typeof NewMember>): Promise<MadeLink | undefined> {
      const call = { params: { tenant: TenantId.parse(tenant) }, body: { email, role } }
      if (way === 'link') return { email, link: (await api.call(operations.invite, call)).body.link }
      queryClient.setQueryData(keys.namespace(tenant), (await api.call(operations.add, call)).body)
      return undefined
    },
    done: ({ email }, made) =>
      made ? undefined : (direct === 'mail' ? texts.memberInvited : texts.memberAdded)(email),
    invalidates: [keys.namespace(tenant)],
  })
  const form = useContractForm({
    schema: NewMember,
    values: { email: '', role: 'operator', way: 'direct' },
    labels: texts.labels,
    async send(body) {
      try {
        onDone(await add.send(body))
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error
        // A link finds everybody where people may sign up with it.
        const message = texts.noAccount[isClosed || body.way === 'link' ? 'closed' : 'direct']
        form.form.setError('email', { message }, { shouldFocus: true })
      }
    },
  })
  const [role, way] = form.form.watch(['role', 'way'])
  return (
    <DialogForm
      form={form}
      failed={texts.memberFailed}
      submit={way === 'link' ? texts.createInvitation : texts.addMember}
      onCancel={() => onDone()}
    >
      <TextInput {...form.field('email')} type="email" autoComplete="off" data-autofocus />
      <NativeSelect {...form.field('role')} description={texts.roleHints[role]} data={roleOptions(own)} />
      <NativeSelect
        {...form.field('way')}
        data={[
          { value: 'direct', label: texts.ways[direct] },
          { value: 'link', label: texts.ways.link },
        ]}
      />
      <Text size="sm">{texts.addMemberTexts[way === 'link' ? (isClosed ? 'link_closed' : 'link') : direct]}</Text>
    </DialogForm>
  )
}
