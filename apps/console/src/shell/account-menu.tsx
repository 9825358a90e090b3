// Menu of the signed-in person: theme and sign-out.
import { Link } from '@tanstack/react-router'
import { BookOpen, ChevronsUpDown, KeyRound, Lock, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { Text, UnstyledButton, VisuallyHidden } from '../ui/kit.ts'
import { MenuButton } from '../ui/controls/menu-button.tsx'
import { Menu } from '../ui/controls/menu-parts.tsx'
import { type Theme, useTheme } from '../ui/use-theme.ts'
import { usePerson, useStore } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'
import { lockKeys } from '../core/unlocked-keys.ts'
import { useSignOut } from './use-sign-out.ts'
import classes from './account-menu.module.css'

const THEMES: readonly { theme: Theme; icon: typeof Sun }[] = [
  { theme: 'light', icon: Sun },
  { theme: 'dark', icon: Moon },
  { theme: 'auto', icon: Monitor },
]

export function AccountMenu() {
  const signOut = useSignOut()
  const person = usePerson()
  const [theme, setTheme] = useTheme()
  const lock = useStore(lockKeys)
  if (!person) return null
  return (
    <MenuButton
      position="top-start"
      width={220}
      withinPortal
      face={
        <UnstyledButton className={classes['button'] ?? ''}>
          <VisuallyHidden>{texts.account}</VisuallyHidden>
          <span className={classes['initial']} aria-hidden>
            {person.name.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes['text']}>
            <span className={classes['name']}>{person.name}</span>
            <span className={classes['email']}>{person.email}</span>
          </span>
          <ChevronsUpDown size={14} aria-hidden />
        </UnstyledButton>
      }
    >
      <Menu.Item component={Link} to="/profile" leftSection={<UserRound size={15} aria-hidden />}>
        {texts.profile}
      </Menu.Item>
      <Menu.Item component={Link} to="/profile/keys" leftSection={<KeyRound size={15} aria-hidden />}>
        {texts.keys}
      </Menu.Item>
      {lock ? (
        <Menu.Item leftSection={<Lock size={15} aria-hidden />} onClick={lock}>
          {texts.lockKeys}
        </Menu.Item>
      ) : null}
      <Menu.Item component="a" href="/docs/" target="_blank" leftSection={<BookOpen size={15} aria-hidden />}>
        {texts.help}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Label>{texts.theme}</Menu.Label>
      <Menu.RadioGroup value={theme}>
        {THEMES.map(({ theme: choice, icon: Icon }) => (
          <Menu.RadioItem
            key={choice}
            value={choice}
            rightSection={<Icon size={15} aria-hidden />}
            onChange={() => setTheme(choice)}
          >
            {texts.themes[choice]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Item leftSection={<LogOut size={15} aria-hidden />} onClick={() => void signOut.run()}>
        <Text size="sm">{texts.signOut}</Text>
      </Menu.Item>
    </MenuButton>
  )
}
