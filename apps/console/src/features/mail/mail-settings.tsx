// Settings of mail in effect.
import type { MailSettings } from '@bowline/contract/schemas/mail'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Fact } from '../../ui/page/facts.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { mailMessages as texts } from './messages.ts'
import classes from './mail.module.css'

export function MailSettingsCard({ settings }: { readonly settings: MailSettings }) {
  const { facts } = texts
  return (
    <SectionCard title={texts.settings} text={texts.settingsText}>
      {settings.enabled ? (
        <dl className={classes['answer']}>
          <Fact name={facts.server}>{`${settings.host}:${settings.port}`}</Fact>
          <Fact name={facts.encryption}>{encryption(settings)}</Fact>
          <Fact name={facts.user}>{settings.user === '' ? texts.noUser : settings.user}</Fact>
          <Fact name={facts.from}>{settings.from}</Fact>
          <Fact name={facts.replyTo}>{settings.reply_to === '' ? texts.sameAsFrom : settings.reply_to}</Fact>
          <Fact name={facts.name}>{settings.name}</Fact>
          <Fact name={facts.links}>{settings.links_to}</Fact>
          <Fact name={facts.templates}>{settings.templates === '' ? texts.builtIn : settings.templates}</Fact>
        </dl>
      ) : (
        <Callout tone="warn" title={texts.off}>
          {texts.offText}
        </Callout>
      )}
    </SectionCard>
  )
}

function encryption({ implicit_tls: implicit, starttls, private_ca: isPrivate }: MailSettings): string {
  const kind = texts.encryption[implicit ? 'implicit' : starttls]
  return isPrivate ? `${kind}, ${texts.privateCa}` : kind
}
