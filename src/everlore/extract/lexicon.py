"""The word lists of the local extractor. Lower case, straight apostrophes."""

from __future__ import annotations

from everlore.extract.phrases import word_set

STOPWORDS = word_set(
    """
    a an the and or but so if then than that this these those there here it its it's he him his she her hers they them
    their theirs we us our ours you your yours i me my mine myself yourself i'm i've i'd i'll you're you've you'd
    you'll it'll that's there's im ive he's she's they're we're we've we'll let's what's who's is am are was were be
    been being do does did doing done have has had having can could will would shall should may might must don't
    doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't can't couldn't shouldn't cannot not
    no nor yes yeah yep nope of in on at to for from by with about as into onto over under up down out off through
    during before after between again also too very really just even still only ever never always now when where why
    how what which who whom because since while until though although all any both each few more most other some such
    own same much many lot lots kind sort like well oh hey hi hello wow ok okay sure right please thanks thank got get
    gets getting go going gonna wanna gotta thing things stuff something anything everything nothing someone anyone
    everyone way time bit maybe perhaps actually definitely absolutely totally quite pretty super honestly truly else
    able lol haha btw one ones think know see mean guess hope say said tell feel feels make makes made let look looks
    looking forward back new good great nice cool awesome amazing wonderful fantastic lovely beautiful incredible
    interesting exciting excited inspiring glad happy sorry fine sounds sound seem seems agree idea point true fun best
    better bad hard easy ready care take luck congrats congratulations welcome bye appreciate yet already around
    there've proud thankful grateful hear heard helpful help important special love loved
    """
)
"""Words that tell nothing by themselves."""

ENGLISH = word_set(
    """
    the a an and or but of to in on at for with is are was were be been have has had do does did not it that this i
    my me we our you your he she they his her their them there just so very really from about because when can will
    would could i'm i've i'd i'll it's that's don't didn't can't got love like went am as by if all out up what who
    how every some more
    """
)

FOREIGN = word_set(
    """
    el la los las de del que y en un una por con para mi es muy pero como su lo gusta und der die das ich ist nicht
    ein eine zu mit auf für auch wir sie mein meine le les des du et je est dans pour pas une sur avec nous vous mon
    ma di il che non per sono io mio della gli da em um uma não com eu meu het een van ik niet og jeg er på det att
    och jag är nie jest się
    """
)
"""Function words of other languages in Latin letters."""

ADVERBS = word_set(
    """
    no longer really also just still always never usually often sometimes actually definitely absolutely totally finally
    recently already probably only even honestly truly normally typically currently now then ever once kinda sorta
    both too so almost mostly mainly especially certainly personally literally seriously simply basically obviously
    generally rarely barely hardly occasionally long first soon later quite rather clearly deeply fully nearly
    originally previously regularly secretly slowly strongly suddenly surely apparently eventually frequently
    genuinely highly hopefully immediately initially lately luckily maybe perhaps sadly today tonight yesterday sure
    not sincerely fortunately unfortunately constantly particularly specifically ultimately
    """
)
"""May stand between a subject and its verb."""

SAME_IN_THIRD = word_set(
    """
    can could will would shall should may might must can't couldn't won't wouldn't shan't shouldn't mightn't mustn't
    cannot had hadn't did didn't was wasn't were weren't used ought needn't better
    """
)
"""Verb forms that are alike for "I" and for a name."""

INVERTERS = word_set(
    """
    do does did am is are was were have has had can could will would should shall may might must don't didn't
    doesn't isn't aren't wasn't weren't haven't hasn't hadn't can't couldn't won't wouldn't shouldn't nor neither
    """
)
"""Before "I" they make a question or an echo ("so do I")."""

CLAUSE_VERBS = word_set(
    """
    think know believe hope guess feel see hear say wish mean find remember suppose help let make watch understand
    realize figure imagine notice want need doubt bet swear
    """
)
"""Another clause or a bare infinitive may follow, whose verbs are not the speaker's."""

OPINION_VERBS = word_set(
    """
    love like enjoy prefer hate need want have adore dislike appreciate miss
    """
)
"""What follows "and" may be a second object: "I love music and dance"."""

PLAIN_VERBS = word_set(
    """
    work run play walk study travel love hope plan need want cook dance paint drink sleep help visit call watch
    drive exercise try use hike swim bike climb teach feel volunteer practice train surf ski garden jog stretch rest
    live drop start stop end hang hate like enjoy miss own ride keep dislike
    """
)
"""Also nouns, but verbs when an object or a place follows."""

FLEETING = word_set(
    """
    think know see hear feel mean guess hope say tell wish understand agree disagree remember recall forget wonder
    suppose believe doubt bet swear promise notice realize imagine expect decide mind care try wait laugh cry smile
    apologize apologise insist admit check call ask answer reply look find show thank appreciate want need go come
    leave arrive stay sit stand do let seem sound send click press open close type copy paste start stop begin finish
    regret mention text joke kid worry complain suggest recommend import loop return pass compile parse fetch iterate
    print debug digress
    """
)
"""What one does at this moment, in this talk or in one's head; said of most others in the present, it is a habit."""

NEW_VERBS = word_set(
    """
    text vape blog vlog homeschool podcast skype facetime microdose bartend busk
    """
)
"""Younger than the tables of verbs."""

ORDERS = word_set(
    """
    don't do never please call skip remind tell give send put take make get use add keep remember forget stop start
    help show let book buy bring check find write ask pick leave turn set avoid try wait come go look think plan meet
    order cancel move change recommend suggest explain describe compare list translate summarize create generate draft
    design teach advise
    """
)
"""Words that begin a request when another word follows them."""

OBJECT_STARTS = word_set(
    """
    a an the my his her our their it them him this that these those to up out off every all some everything myself
    me around back
    """
)

PLACE_STARTS = word_set(
    """
    in at on with for from by near about as full part remotely mostly there here together
    """
)

SUBORDINATORS = word_set(
    """
    that who which because if while where how when what whether so until since though although unless whenever
    """
)

OCCUPATIONS = word_set(
    """
    accountant actor actress analyst architect artist attorney author baker banker barber barista bartender
    biologist bookkeeper builder butcher carpenter cashier chef chemist cleaner clerk coach consultant contractor
    cook counselor dancer dentist designer developer director doctor driver economist editor electrician engineer
    farmer firefighter florist freelancer gardener geologist hairdresser journalist judge lawyer lecturer librarian
    manager mechanic midwife model musician nurse nutritionist optician painter paralegal paramedic pharmacist
    photographer physician physicist pilot plumber poet politician producer professor programmer psychologist
    psychiatrist realtor receptionist recruiter reporter researcher salesperson scientist secretary singer soldier
    statistician student surgeon surveyor tailor teacher technician therapist translator tutor veterinarian vet
    waiter waitress welder writer zoologist
    """
)

HABIT_VERBS = word_set(
    """
    bike run jog smoke drink eat play take use attend practice volunteer teach cook walk swim climb drive study
    learn cycle commute own wear subscribe watch listen go
    """
)
"""Things one does as a habit, so that "stopped" ends them."""

DEMONYMS = word_set(
    """
    african american arab argentinian armenian asian australian austrian bavarian belgian black brazilian british
    bulgarian canadian catalan chilean chinese colombian croatian cuban czech danish dutch egyptian english estonian
    ethiopian european filipino finnish french georgian german greek hispanic hungarian icelandic indian indonesian
    iranian iraqi irish israeli italian japanese jordanian kenyan korean latina latino latvian lebanese lithuanian
    malaysian mexican moroccan nigerian norwegian pakistani palestinian persian peruvian polish portuguese romanian
    russian scottish serbian slovak slovenian spanish swedish swiss syrian taiwanese thai tunisian turkish ukrainian
    vietnamese welsh anglican atheist baptist buddhist catholic christian evangelical hindu jewish lutheran methodist
    mormon muslim orthodox protestant quaker sikh
    """
)
"""Peoples and faiths, as people write them who use no capitals."""

COUNTRIES = word_set(
    """
    argentina australia austria belgium brazil britain bulgaria canada chile china colombia croatia denmark egypt
    england estonia finland france germany greece hungary iceland india indonesia iran ireland israel italy japan
    kenya malaysia mexico morocco netherlands nigeria norway pakistan peru philippines poland portugal romania
    russia scotland serbia singapore slovenia spain sweden switzerland taiwan thailand tunisia turkey uk ukraine us
    usa vietnam wales europe asia africa america california texas florida oregon washington colorado arizona ohio
    michigan illinois georgia virginia massachusetts pennsylvania minnesota wisconsin utah nevada hawaii alaska
    maine vermont bavaria ontario quebec
    """
)
"""Countries, states and continents: a city in one of them does not contradict it."""

CITIES = word_set(
    """
    amsterdam athens atlanta austin bangkok barcelona beijing berlin boston brussels budapest cairo chicago cologne
    copenhagen dallas delhi denver detroit dubai dublin edinburgh frankfurt geneva hamburg helsinki houston istanbul
    jakarta kyoto lagos lisbon london lyon madrid manchester manila marseille melbourne miami milan minneapolis
    montreal moscow mumbai munich nairobi naples nashville oakland osaka oslo paris philadelphia phoenix portland
    porto prague rome seattle seoul shanghai stockholm stuttgart sydney taipei tokyo toronto vancouver vienna warsaw
    zurich
    """
)
"""Large cities: a quarter of one does not contradict it."""

PRODUCTS = word_set(
    """
    android arch aws azure bitwarden brave chrome claude cursor debian discord django docker dropbox edge emacs fastapi
    fedora firefox flask gcp github gitlab gmail go hetzner ios iphone jira kotlin kubernetes linear linux mac macos
    markdown mongodb mysql neovim netlify nixos node notion npm obsidian pnpm poetry postgres postgresql protonmail
    python react redis rust safari signal slack spotify sqlite svelte swift teams telegram typescript ubuntu uv vercel
    vim vscode vue whatsapp windows yarn zed zoom
    """
)
"""Tools that people move to as they move to a place."""

EMPLOYERS = word_set(
    """
    amazon apple boots chase dell gap google intel oracle sap shell subway target tesla visa
    """
)
"""Companies whose names are words as well."""

GIVEN_NAMES = word_set(
    """
    adam alex alice amy andrea andrew anna anne anton ben bill bob brian carl carla caroline charlie chloe chris
    christina claire clara daniel dave david diana ed eli elena ella emily emma eric eva felix frank fred george grace
    hannah harry helen henry ida ian jack jake james jan jane jason jean jen jenny jess jessica jim joe john jon josh
    julia julie karen karl kate katie kevin kim kyle laura lea lena leo lily linda lisa liz lou lucas lucy luke maria
    marie mark martin mary matt max maya megan melanie mia michael mike mila mom nancy nick nina noah nora oliver olivia
    oscar pat paul peter phil rachel ralph rob robert rosa ruth ryan sally sam sandra sara sarah scott sofia sophia
    sophie stefan steve sue susan tim tina tom tony vera will zoe
    """
)
"""People whom one joins for dinner, and not for work."""
