interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}
export function mcpAnswer(message: Message, onDeath?: () => void): object | undefined;
