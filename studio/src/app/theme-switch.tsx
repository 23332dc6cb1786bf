import { IconButton } from '../ui/button.tsx';
import { type Theme, useTheme } from './theme.ts';
import styles from './theme-switch.module.css';

const CHOICES = [
  { theme: 'light', icon: 'sun', label: 'Light theme' },
  { theme: 'dark', icon: 'moon', label: 'Dark theme' },
  { theme: 'system', icon: 'screen', label: 'Theme of the system' },
] as const satisfies readonly { readonly theme: Theme; readonly icon: string; readonly label: string }[];

export function ThemeSwitch() {
  const [chosen, choose] = useTheme();
  return (
    <div className={styles.switch} role="group" aria-label="Theme">
      {CHOICES.map(({ theme, icon, label }) => (
        <IconButton
          key={theme}
          icon={icon}
          label={label}
          isOn={theme === chosen}
          className={styles.choice}
          onClick={() => choose(theme)}
        />
      ))}
    </div>
  );
}
