// Palette items for the sections of the profile and of the settings.
import { useNavigate } from '@tanstack/react-router'
import { Settings, UserRound } from 'lucide-react'
import { appMessages } from '../../core/messages.ts'
import { billingMessages } from '../../features/billing/messages.ts'
import { passkeyMessages } from '../../features/passkeys/messages.ts'
import { identityMessages } from '../../features/profile/identity-messages.ts'
import { profileMessages } from '../../features/profile/messages.ts'
import { provisioningMessages } from '../../features/provisioning/messages.ts'
import { secondFactorMessages } from '../../features/second-factor/messages.ts'
import { settingsMessages as settings } from '../../features/settings/messages.ts'
import { sharedSnippetMessages } from '../../features/shared-snippets/messages.ts'
import type { PaletteItem } from './items.ts'
import { paletteMessages as texts } from './messages.ts'

/** Label, anchor on the page, and other words. */
type Section = readonly [label: string, hash: string, synonyms?: string]

const also = texts.synonyms.sections

const OF_PROFILE: readonly Section[] = [
  [profileMessages.account, 'account', also.account],
  [profileMessages.password, 'password', also.password],
  [passkeyMessages.title, 'passkeys', also.passkeys],
  [secondFactorMessages.card, 'second-factor', also.secondFactor],
  [profileMessages.sessions, 'sign-ins', also.signIns],
  [identityMessages.title, 'linked-identities', also.identities],
  [profileMessages.activity, 'activity', also.activity],
  [profileMessages.data, 'personal-data', also.personalData],
  [profileMessages.theme, 'appearance', also.appearance],
  [profileMessages.deletion, 'deletion', also.deletion],
]

const OF_SETTINGS: readonly Section[] = [
  [settings.rename, 'namespace', also.namespace],
  [settings.record, 'sessions'],
  [settings.retention, 'sessions', also.retention],
  [settings.forwarding, 'sessions'],
  [settings.joining, 'sessions'],
  [settings.endDisallowed, 'sessions'],
  [settings.accessOn, 'access-requests'],
  [settings.factor, 'second-factor', also.sshFactor],
  [settings.announcement, 'announcement', also.announcement],
  [sharedSnippetMessages.title, 'snippets'],
  [billingMessages.title, 'billing', also.billing],
  [provisioningMessages.title, 'provisioning', also.provisioning],
  [settings.export, 'export'],
  [settings.danger, 'danger', also.danger],
]

export function useSectionItems(): PaletteItem[] {
  const navigate = useNavigate()
  const item = (to: '/profile' | '/settings', [label, hash, synonyms]: Section): PaletteItem => ({
    id: `${to}#${hash} ${label}`,
    group: texts.groups.settings,
    label,
    note: to === '/profile' ? texts.profile : appMessages.nav.settings,
    icon: to === '/profile' ? UserRound : Settings,
    run: () => void navigate({ to, hash }),
    ...(synonyms === undefined ? {} : { synonyms }),
  })
  return [
    ...OF_PROFILE.map((section) => item('/profile', section)),
    ...OF_SETTINGS.map((section) => item('/settings', section)),
  ]
}
