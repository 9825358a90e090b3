// One certificate: what it is for, until when, and what went wrong with its renewal.
import type { ServerCertificate, ServerCertificates } from '@bowline/contract/operations/instance'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Stack } from '../../ui/kit.ts'
import { Fact } from '../../ui/page/facts.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { certificateMessages as texts } from './messages.ts'
import classes from './certificates.module.css'

interface CertificateCardProps {
  readonly certificate: ServerCertificate
  readonly server: ServerCertificates
}

export function CertificateCard({ certificate, server }: CertificateCardProps) {
  const { use, source, state, names, issuer, fingerprint, renewing } = certificate
  const { facts } = texts
  return (
    <SectionCard title={texts.uses[use]} text={texts.sources[source]}>
      <Stack gap="sm">
        <Warning certificate={certificate} />
        <dl className={classes['facts']}>
          <Fact name={facts.state}>{renewing ? `${texts.states[state]}, ${texts.renewing}` : texts.states[state]}</Fact>
          <Fact name={facts.names}>{names.join(', ')}</Fact>
          {issuer === '' ? null : <Fact name={facts.issuer}>{issuer}</Fact>}
          <Moment name={facts.starts} time={certificate.starts_at} />
          <Moment name={facts.ends} time={certificate.ends_at} />
          <Moment name={facts.renewal} time={certificate.renews_at} />
          {fingerprint === '' ? null : <Fact name={facts.fingerprint}>{fingerprint}</Fact>}
          {source === 'acme' ? (
            <>
              <Fact name={facts.directory}>{server.directory}</Fact>
              <Fact name={facts.email}>{server.email}</Fact>
              <Fact name={facts.challenge}>{use === 'tunnels' ? 'dns-01' : server.challenge}</Fact>
            </>
          ) : null}
        </dl>
      </Stack>
    </SectionCard>
  )
}

function Warning({ certificate: { state, source, failure, failures } }: { readonly certificate: ServerCertificate }) {
  const reason = failure === '' ? '' : `${failure} ${texts.attempts(failures)}`
  if (state !== 'valid') {
    return (
      <Callout tone="warn" title={texts.warnings[state]}>
        {reason} {texts.warningTexts[source]}
      </Callout>
    )
  }
  if (failure === '') return null
  return (
    <Callout tone="note" title={texts.failed}>
      {reason} {texts.warningTexts[source]}
    </Callout>
  )
}

function Moment({ name, time }: { readonly name: string; readonly time: string | null }) {
  if (time === null) return null
  return (
    <Fact name={name}>
      <time dateTime={time}>{formatMoment(time)}</time>
    </Fact>
  )
}
