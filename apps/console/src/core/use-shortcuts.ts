// Handles the global shortcuts while the shell is mounted.
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { appMessages as texts } from './messages.ts'
import { chosenKeys, keysOf } from './chosen-keys.ts'
import { usePerson, useStore } from './context.tsx'
import { focusList } from '../ui/list/roving.ts'
import { sectionGroups } from './sections.ts'
import { type Shortcut, areSingleKeysOn, createMatcher, isTyping } from './shortcuts.ts'

interface ShortcutTargets {
  readonly openPalette: () => void
  readonly openSheet: () => void
}

/** Every shortcut, in display order. */
export function useShortcuts({ openPalette, openSheet }: ShortcutTargets): readonly Shortcut[] {
  const navigate = useNavigate()
  const person = usePerson()
  const chosen = useStore(chosenKeys)
  const shortcuts = useMemo<readonly Shortcut[]>(() => {
    const usual = [
      { id: 'palette', usual: ['mod+k'], label: texts.palette, run: openPalette },
      { id: 'list', usual: ['j'], label: texts.toList, run: () => focusList() },
      { id: 'shortcuts', usual: ['?'], label: texts.shortcuts, run: openSheet },
      ...sectionGroups(person).flatMap(({ sections }) =>
        sections.map(({ to, label, key }) => ({
          id: `go.${to}`,
          usual: ['g', key],
          label: texts.goTo(label),
          run: () => void navigate({ to }),
        })),
      ),
      {
        id: 'device.add',
        usual: ['n', 'd'],
        label: texts.addDevice,
        run: () => void navigate({ to: '/devices', search: { add: 'yes' } }),
      },
    ]
    return usual.map((each) => ({ ...each, keys: keysOf(each, chosen) }))
  }, [navigate, openPalette, openSheet, person, chosen])
  const [match] = useState(() => createMatcher(() => performance.now()))
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const found = match(event, shortcuts, isTyping(event.target) || !areSingleKeysOn())
      if (!found) return
      event.preventDefault()
      found.run()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [shortcuts, match])
  return shortcuts
}
