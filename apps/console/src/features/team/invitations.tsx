// Pending invitations in the list of members: until when, another mail, another link.
import { members as operations } from '@bowline/contract/operations/namespaces'
import { TenantId } from '@bowline/contract/schemas/common'
import type { Member } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { Link2, Send } from 'lucide-react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { useNow } from '../../ui/text/ticker.ts'
import { infoQuery } from '../instance/queries.ts'
import { teamMessages as texts } from './messages.ts'

/** A link that was made just now. */
export interface MadeLink {
  readonly email: string
  readonly link: string
}

export function InvitationEnd({ member: { expires_at: end } }: { readonly member: Member }) {
  const now = useNow()
  return Date.parse(end) <= now ? texts.inviteExpired : texts.inviteEnds(formatMoment(end))
}

interface InvitationActionsProps {
  readonly member: Member
  readonly onLink: (made: MadeLink) => void
}

export function InvitationActions({ member, onLink }: InvitationActionsProps) {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  const may = useMay('namespaceAddMember')
  const tenant = usePerson()?.tenant ?? ''
  const { email, role } = member
  const call = () => ({ params: { tenant: TenantId.parse(tenant) }, body: { email, role } })
  const invalidates = [keys.namespace(tenant)]
  const resend = useAction({
    call: () => api.call(operations.add, call()),
    done: texts.resent(email),
    failed: texts.resendFailed(email),
    invalidates,
  })
  const renew = useAction({
    async call() {
      onLink({ email, link: (await api.call(operations.invite, call())).body.link })
    },
    failed: texts.linkFailed(email),
    invalidates,
  })
  return (
    <>
      {info?.edition === 'cloud' ? (
        <GatedAction
          may={may}
          why={texts.roleTooLow}
          label={texts.resendNamed(email)}
          hint={texts.resend}
          onClick={() => void resend.run()}
        >
          <Send size={15} aria-hidden />
        </GatedAction>
      ) : null}
      <GatedAction
        may={may}
        why={texts.roleTooLow}
        label={texts.copyLinkNamed(email)}
        hint={texts.copyLink}
        onClick={() => void renew.run()}
      >
        <Link2 size={15} aria-hidden />
      </GatedAction>
    </>
  )
}

interface LinkDialogProps {
  readonly made: MadeLink | undefined
  readonly onClose: () => void
}

/** Shows a link once: the server keeps its hash only. */
export function LinkDialog({ made, onClose }: LinkDialogProps) {
  return (
    <Dialog opened={made !== undefined} onClose={onClose} title={texts.linkTitle(made?.email ?? '')} insists>
      <Stack>
        <Text size="sm">{texts.linkText}</Text>
        <CopyField text={made?.link ?? ''} what={texts.linkWhat} focusFirst />
        <Group justify="flex-end">
          <Button onClick={onClose}>{texts.linkCopied}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
