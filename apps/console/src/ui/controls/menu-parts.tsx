// The parts of a menu as a page writes them down before the kit's menu is loaded. `MenuButton` mounts them after that.
import { type ComponentType, createElement } from 'react'
import { pageFile } from '../../platform/page-files.ts'
import type { Menu as KitMenu } from './menu-kit.ts'

export const loadMenu = pageFile(() => import('./menu-kit.ts'), 'soon')

type Part = 'CheckboxGroup' | 'CheckboxItem' | 'Divider' | 'Item' | 'Label' | 'RadioGroup' | 'RadioItem'

function part<Name extends Part>(name: Name): (typeof KitMenu)[Name] {
  function MenuPart(props: object) {
    const kit = loadMenu.loaded()
    if (!kit) throw new Error('The menu is not loaded.')
    return createElement(kit.Menu[name] as ComponentType, props)
  }
  return MenuPart as unknown as (typeof KitMenu)[Name]
}

export const Menu = {
  CheckboxGroup: part('CheckboxGroup'),
  CheckboxItem: part('CheckboxItem'),
  Divider: part('Divider'),
  Item: part('Item'),
  Label: part('Label'),
  RadioGroup: part('RadioGroup'),
  RadioItem: part('RadioItem'),
} as const
