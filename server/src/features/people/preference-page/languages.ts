import { type PageLanguage, preferredLanguage } from '../../../http/hosted-page.ts';

/** The texts of the page. Names of chat services are the same in every language. */
export interface PreferenceTexts {
  title: string;
  intro: string;
  save: string;
  /** The button that turns off everything that can be turned off. */
  stopAll: string;
  savedTitle: string;
  saved: string;
  always: string;
  nothing: string;
  email: string;
  inApp: string;
  sms: string;
  lostTitle: string;
  lost: string;
  busyTitle: string;
  busy: string;
}

export const languages: Record<PageLanguage, PreferenceTexts> = {
  en: {
    title: 'Notification preferences',
    intro: 'Choose what you want to receive, and how.',
    save: 'Save',
    stopAll: 'Unsubscribe from everything',
    savedTitle: 'Preferences saved',
    saved: 'Your preferences have been saved.',
    always: 'Always sent',
    nothing: 'There is nothing to choose at the moment.',
    email: 'Email',
    inApp: 'In the app',
    sms: 'Text message',
    lostTitle: 'This link does not work',
    lost: 'The link is incomplete or has been altered. Please open the link in the message again.',
    busyTitle: 'Too many requests',
    busy: 'Please wait a moment, then try again.',
  },
  de: {
    title: 'Benachrichtigungen',
    intro: 'Wählen Sie, was Sie erhalten möchten und auf welchem Weg.',
    save: 'Speichern',
    stopAll: 'Alles abbestellen',
    savedTitle: 'Einstellungen gespeichert',
    saved: 'Ihre Einstellungen wurden gespeichert.',
    always: 'Wird immer gesendet',
    nothing: 'Zurzeit gibt es nichts auszuwählen.',
    email: 'E-Mail',
    inApp: 'In der App',
    sms: 'SMS',
    lostTitle: 'Dieser Link funktioniert nicht',
    lost: 'Er ist unvollständig oder wurde verändert. Bitte öffnen Sie den Link in der Nachricht noch einmal.',
    busyTitle: 'Zu viele Anfragen',
    busy: 'Bitte warten Sie einen Moment und versuchen Sie es dann erneut.',
  },
  fr: {
    title: 'Préférences de notification',
    intro: 'Choisissez ce que vous souhaitez recevoir, et comment.',
    save: 'Enregistrer',
    stopAll: 'Se désabonner de tout',
    savedTitle: 'Préférences enregistrées',
    saved: 'Vos préférences ont été enregistrées.',
    always: 'Toujours envoyé',
    nothing: 'Il n’y a rien à choisir pour le moment.',
    email: 'E-mail',
    inApp: 'Dans l’application',
    sms: 'SMS',
    lostTitle: 'Ce lien ne fonctionne pas',
    lost: 'Il est incomplet ou a été modifié. Ouvrez à nouveau le lien depuis le message.',
    busyTitle: 'Trop de requêtes',
    busy: 'Veuillez patienter un instant, puis réessayer.',
  },
  es: {
    title: 'Preferencias de notificación',
    intro: 'Elija qué quiere recibir y cómo.',
    save: 'Guardar',
    stopAll: 'Cancelar todas las suscripciones',
    savedTitle: 'Preferencias guardadas',
    saved: 'Sus preferencias se han guardado.',
    always: 'Se envía siempre',
    nothing: 'No hay nada que elegir en este momento.',
    email: 'Correo electrónico',
    inApp: 'En la aplicación',
    sms: 'SMS',
    lostTitle: 'Este enlace no funciona',
    lost: 'Está incompleto o ha sido modificado. Abra de nuevo el enlace desde el mensaje.',
    busyTitle: 'Demasiadas solicitudes',
    busy: 'Espere un momento e inténtelo de nuevo.',
  },
  pt: {
    title: 'Preferências de notificação',
    intro: 'Escolha o que quer receber e como.',
    save: 'Guardar',
    stopAll: 'Cancelar todas as subscrições',
    savedTitle: 'Preferências guardadas',
    saved: 'As suas preferências foram guardadas.',
    always: 'Sempre enviado',
    nothing: 'De momento, não há nada para escolher.',
    email: 'E-mail',
    inApp: 'Na aplicação',
    sms: 'SMS',
    lostTitle: 'Este link não funciona',
    lost: 'Está incompleto ou foi alterado. Abra novamente o link a partir da mensagem.',
    busyTitle: 'Demasiados pedidos',
    busy: 'Aguarde um momento e tente novamente.',
  },
  it: {
    title: 'Preferenze di notifica',
    intro: 'Scegli che cosa vuoi ricevere e come.',
    save: 'Salva',
    stopAll: 'Annulla tutte le iscrizioni',
    savedTitle: 'Preferenze salvate',
    saved: 'Le tue preferenze sono state salvate.',
    always: 'Sempre inviato',
    nothing: 'Al momento non c’è nulla da scegliere.',
    email: 'Email',
    inApp: 'Nell’app',
    sms: 'SMS',
    lostTitle: 'Questo link non funziona',
    lost: 'È incompleto o è stato modificato. Apri di nuovo il link dal messaggio.',
    busyTitle: 'Troppe richieste',
    busy: 'Attendi un momento e riprova.',
  },
  nl: {
    title: 'Meldingsvoorkeuren',
    intro: 'Kies wat u wilt ontvangen, en hoe.',
    save: 'Opslaan',
    stopAll: 'Afmelden voor alles',
    savedTitle: 'Voorkeuren opgeslagen',
    saved: 'Uw voorkeuren zijn opgeslagen.',
    always: 'Wordt altijd verzonden',
    nothing: 'Er valt op dit moment niets te kiezen.',
    email: 'E-mail',
    inApp: 'In de app',
    sms: 'Sms',
    lostTitle: 'Deze link werkt niet',
    lost: 'De link is onvolledig of gewijzigd. Open de link opnieuw vanuit het bericht.',
    busyTitle: 'Te veel verzoeken',
    busy: 'Wacht even en probeer het dan opnieuw.',
  },
  pl: {
    title: 'Ustawienia powiadomień',
    intro: 'Wybierz, co i w jaki sposób chcesz otrzymywać.',
    save: 'Zapisz',
    stopAll: 'Zrezygnuj ze wszystkiego',
    savedTitle: 'Ustawienia zapisane',
    saved: 'Twoje ustawienia zostały zapisane.',
    always: 'Zawsze wysyłane',
    nothing: 'Obecnie nie ma niczego do wyboru.',
    email: 'E-mail',
    inApp: 'W aplikacji',
    sms: 'SMS',
    lostTitle: 'Ten link nie działa',
    lost: 'Link jest niekompletny lub został zmieniony. Otwórz go ponownie z wiadomości.',
    busyTitle: 'Zbyt wiele żądań',
    busy: 'Poczekaj chwilę i spróbuj ponownie.',
  },
  ja: {
    title: '通知の設定',
    intro: '受け取る通知と受け取り方法を選択してください。',
    save: '保存',
    stopAll: 'すべての配信を停止する',
    savedTitle: '設定を保存しました',
    saved: '設定が保存されました。',
    always: '常に送信されます',
    nothing: '現在、選択できる項目はありません。',
    email: 'メール',
    inApp: 'アプリ内',
    sms: 'SMS',
    lostTitle: 'このリンクは使用できません',
    lost: 'リンクが不完全か、変更されています。メッセージのリンクをもう一度開いてください。',
    busyTitle: 'リクエストが多すぎます',
    busy: 'しばらく待ってから、もう一度お試しください。',
  },
  ar: {
    title: 'تفضيلات الإشعارات',
    intro: 'اختر ما تريد تلقيه وكيف.',
    save: 'حفظ',
    stopAll: 'إلغاء الاشتراك في كل شيء',
    savedTitle: 'تم حفظ التفضيلات',
    saved: 'تم حفظ تفضيلاتك.',
    always: 'يُرسل دائمًا',
    nothing: 'لا يوجد ما يمكن اختياره حاليًا.',
    email: 'البريد الإلكتروني',
    inApp: 'في التطبيق',
    sms: 'رسالة نصية',
    lostTitle: 'هذا الرابط لا يعمل',
    lost: 'الرابط غير مكتمل أو تم تغييره. يُرجى فتح الرابط من الرسالة مرة أخرى.',
    busyTitle: 'طلبات كثيرة جدًا',
    busy: 'يُرجى الانتظار قليلًا ثم المحاولة مرة أخرى.',
  },
};

export function languageFor(accepted: string | undefined): {
  language: PageLanguage;
  texts: PreferenceTexts;
} {
  const language = preferredLanguage(accepted);
  return { language, texts: languages[language] };
}
