// Navigation bar item types: the theme's, and the edition switch.
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
