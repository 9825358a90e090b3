// A button with a menu that is loaded and mounted when it is first opened: closed menus are most of what a page would
// mount.
import { type ComponentProps, type ReactElement, type ReactNode, cloneElement, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { notifyFailure } from '../feedback/notify.tsx'
import { uiMessages } from '../messages.ts'
import { Anchor } from './anchor.tsx'
import type { Menu as KitMenu } from './menu-kit.ts'
import { loadMenu } from './menu-parts.tsx'

interface MenuButtonProps extends Omit<ComponentProps<typeof KitMenu>, 'opened' | 'onChange' | 'id' | 'children'> {
  /** The button, without a handler of clicks. */
  readonly face: ReactElement<Readonly<Record<string, unknown>>>
  /** Class of the menu. */
  readonly menuClass?: string | undefined
  /** Of the parts in `menu-parts`. */
  readonly children: ReactNode
}

export function MenuButton({ face, menuClass, children, onOpen, ...menu }: MenuButtonProps) {
  const id = useId()
  const button = useRef<HTMLElement>(null)
  const [kit, setKit] = useState<{ readonly Menu: typeof KitMenu }>()
  const [opened, setOpened] = useState(false)
  const open = (loaded: { readonly Menu: typeof KitMenu }) => {
    // The menu notices that it opens, which moves the focus: it is mounted closed.
    flushSync(() => setKit(loaded))
    setOpened(true)
  }
  const toggle = () => {
    if (opened) {
      setOpened(false)
      return
    }
    onOpen?.()
    const loaded = loadMenu.loaded()
    if (loaded) open(loaded)
    else
      loadMenu().then(open, (error: unknown) => notifyFailure({ title: uiMessages.menuFailed, error, onRetry: toggle }))
  }
  return (
    <>
      {cloneElement(face, {
        ref: button,
        // The menu has it as its label.
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': opened,
        'aria-controls': opened ? `${id}-dropdown` : undefined,
        'data-expanded': opened || undefined,
        onClick: toggle,
      })}
      {kit ? (
        <kit.Menu {...menu} id={id} opened={opened} onChange={setOpened}>
          <kit.Menu.Target>
            <Anchor button={button} />
          </kit.Menu.Target>
          <kit.Menu.Dropdown className={menuClass ?? ''}>{children}</kit.Menu.Dropdown>
        </kit.Menu>
      ) : null}
    </>
  )
}
