// Actions on an access request: decide those of others, withdraw one's own, end access.
import { type AccessRequest, accessRequests } from '@bowline/contract/operations/fleet/access-requests'
import { useState } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Button, Text } from '../../ui/kit.ts'
import { accessMessages as texts } from './messages.ts'
import { nameOfTarget } from './names.ts'

interface RequestActionsProps {
  readonly request: AccessRequest
  readonly onApprove: (request: AccessRequest) => void
  readonly onDeny: (request: AccessRequest) => void
}

export function RequestActions({ request, onApprove, onDeny }: RequestActionsProps) {
  const mayDecide = useMay('firewallEdit')
  const isOwn = usePerson()?.id === request.requester.id
  const who = request.requester.name
  const what = nameOfTarget(request)
  if (request.state === 'active') return <EndButton request={request} />
  if (request.state !== 'pending') return null
  const gate = { may: !isOwn, why: texts.own, size: 'compact-sm', variant: 'default' } as const
  return (
    <>
      {mayDecide ? (
        <>
          <GatedButton {...gate} aria-label={texts.approveNamed(who, what)} onClick={() => onApprove(request)}>
            {texts.approve}
          </GatedButton>
          <GatedButton {...gate} aria-label={texts.denyNamed(who, what)} onClick={() => onDeny(request)}>
            {texts.deny}
          </GatedButton>
        </>
      ) : null}
      {isOwn ? <WithdrawButton request={request} /> : null}
    </>
  )
}

function useEnd(done: string) {
  const { api } = useRuntime()
  return useAction({
    call: ({ id }: AccessRequest) => api.call(accessRequests.end, { params: { id } }),
    done,
    failed: texts.endFailed,
    invalidates: [keys.accessRequests],
  })
}

function WithdrawButton({ request }: { readonly request: AccessRequest }) {
  const end = useEnd(texts.withdrawn)
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={texts.withdrawNamed(nameOfTarget(request))}
      onClick={() => void end.run(request)}
    >
      {texts.withdraw}
    </Button>
  )
}

function EndButton({ request }: { readonly request: AccessRequest }) {
  const [isAsked, setAsked] = useState(false)
  const end = useEnd(texts.ended)
  const who = request.requester.name
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={texts.endNamed(who, nameOfTarget(request))}
        onClick={() => setAsked(true)}
      >
        {texts.end}
      </Button>
      <Confirm
        opened={isAsked}
        title={texts.endTitle(who)}
        action={texts.end}
        onClose={() => setAsked(false)}
        onConfirm={() => void end.run(request)}
      >
        <Text size="sm">{texts.endText}</Text>
      </Confirm>
    </>
  )
}
