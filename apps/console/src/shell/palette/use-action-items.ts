// Palette items for actions of the console, and for actions that ask for a device.
import { useNavigate } from '@tanstack/react-router'
import {
  AppWindow,
  CornerDownRight,
  KeyRound,
  Keyboard,
  Lock,
  LogOut,
  Monitor,
  Plus,
  ShieldCheck,
  SquareTerminal,
  UserPlus,
} from 'lucide-react'
import { useStore } from '../../core/context.tsx'
import { appMessages } from '../../core/messages.ts'
import { lockKeys } from '../../core/unlocked-keys.ts'
import { popOut } from '../../features/terminal/windows/pop-out.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { useTheme } from '../../ui/use-theme.ts'
import { useSignOut } from '../use-sign-out.ts'
import type { PaletteControls } from './controls.ts'
import type { PaletteItem } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import { verbMessages, verbWords } from './verbs/verb-messages.ts'

/** Actions that belong to no page: signing out comes last, after all others. */
export function useActionItems({ onShortcuts }: PaletteControls): PaletteItem[] {
  const signOut = useSignOut()
  const navigate = useNavigate()
  const [, setTheme] = useTheme()
  const lock = useStore(lockKeys)
  const toWindow = useStore(popOut)
  const also = texts.synonyms
  const action = (
    id: string,
    label: string,
    icon: PaletteItem['icon'],
    synonyms: string,
    run: () => void,
  ): PaletteItem => ({ id, group: texts.groups.actions, label, synonyms, run, ...(icon ? { icon } : {}) })
  const locking = () => {
    lock?.()
    announce(appMessages.keysLocked)
  }
  return [
    ...(lock ? [action('lock', appMessages.lockKeys, Lock, also.lockKeys, locking)] : []),
    ...(toWindow ? [action('pop-out', texts.popOut, AppWindow, also.popOut, toWindow)] : []),
    action(
      'add-device',
      texts.addDevice,
      Plus,
      also.addDevice,
      () => void navigate({ to: '/devices', search: { add: 'yes' } }),
    ),
    action(
      'pending',
      texts.waiting,
      Monitor,
      also.waiting,
      () => void navigate({ to: '/devices', search: { status: 'pending' } }),
    ),
    action(
      'running',
      texts.running,
      SquareTerminal,
      also.running,
      () => void navigate({ to: '/sessions', search: { state: 'active' } }),
    ),
    action(
      'add-key',
      texts.addKey,
      KeyRound,
      also.addKey,
      () => void navigate({ to: '/public-keys', search: { edit: 'new' } }),
    ),
    action(
      'add-rule',
      texts.addRule,
      ShieldCheck,
      also.addRule,
      () => void navigate({ to: '/firewall', search: { edit: 'new' } }),
    ),
    action(
      'add-member',
      texts.addMember,
      UserPlus,
      also.addMember,
      () => void navigate({ to: '/team', search: { add: 'yes' } }),
    ),
    action(
      'add-api-key',
      texts.addApiKey,
      KeyRound,
      also.addApiKey,
      () => void navigate({ to: '/team', search: { tab: 'keys', add: 'yes' } }),
    ),
    action('shortcuts', appMessages.shortcuts, Keyboard, also.shortcuts, onShortcuts),
    ...(['light', 'dark', 'auto'] as const).map((theme) =>
      action(`theme.${theme}`, texts.theme(appMessages.themes[theme]), undefined, also.themes[theme], () =>
        setTheme(theme),
      ),
    ),
    action('sign-out', texts.signOut, LogOut, also.signOut, () => void signOut.run()),
  ]
}

const PROMPTED = Object.keys(verbMessages.prompts) as (keyof typeof verbMessages.prompts)[]

/** Actions that ask for a device or a session: they type their word, and its name follows. */
export function promptItems({ onWords }: PaletteControls): PaletteItem[] {
  return PROMPTED.map((verb) => ({
    id: `prompt.${verb}`,
    group: texts.groups.actions,
    label: verbMessages.prompts[verb],
    synonyms: verbWords[verb],
    icon: CornerDownRight,
    stays: true,
    run: () => onWords(`${verbWords[verb].split(',')[0] ?? ''} `),
  }))
}
