// The kinds of items of the navigation bar: those of the theme, and the switch of editions.
import ComponentTypes from '@theme-original/NavbarItem/ComponentTypes'
import { EditionSwitch } from '../../components/edition.tsx'

function EditionNavbarItem({ mobile }: { readonly mobile?: boolean }) {
  return mobile ? (
    <li className="menu__list-item menu__link">
      <EditionSwitch />
    </li>
  ) : (
    <div className="navbar__item">
      <EditionSwitch />
    </div>
  )
}

export default { ...ComponentTypes, 'custom-edition': EditionNavbarItem }
